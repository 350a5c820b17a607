/** What the worker and the gateway are told, whoever starts them. */
export interface ProcessSettings {
  readonly address: string;
  readonly namespace: string;
  readonly dataDir: string;
  readonly inventory: string | undefined;
  readonly allowExec: boolean | undefined;
}

/** The flags that the worker and the gateway have in common. */
export const processFlags = (settings: ProcessSettings): string[] => [
  '--address',
  settings.address,
  '--namespace',
  settings.namespace,
  '--data-dir',
  settings.dataDir,
  ...(settings.inventory === undefined ? [] : ['--inventory', settings.inventory]),
  ...(settings.allowExec ? ['--allow-exec'] : []),
];
