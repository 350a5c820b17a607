/** How the embedded Temporal server is started. */
export interface DevServerSettings {
  readonly port: number;
  /** Undefined: no Web UI. */
  readonly uiPort?: number;
  readonly namespace: string;
  /** Where its state is kept; undefined: in memory. */
  readonly dbFile?: string;
  readonly ip?: string;
  /** Dynamic configuration; values are JSON. */
  readonly dynamicConfig?: Readonly<Record<string, unknown>>;
}

/** Arguments of `temporal` that start its dev server with these settings. */
export function devServerArguments(settings: DevServerSettings): string[] {
  const { port, uiPort, namespace, dbFile, ip = '127.0.0.1', dynamicConfig = {} } = settings;
  return [
    'server',
    'start-dev',
    '--ip',
    ip,
    '--port',
    String(port),
    '--log-level',
    'error',
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch']),
    ...(dbFile === undefined ? [] : ['--db-filename', dbFile]),
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}
