import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import type { Kubernetes } from '../../contracts/inventory/platform.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';

/** What resolves references, and what is told each secret that lies within one. */
export interface Secrets {
  secret(reference: string): Promise<string>;
  /** Has a value redacted from everything that is kept or said. */
  remember(value: string): void;
}

const CONTEXT = 'contract';
const MAX_CA = 1024 * 1024;

const invalid = (why: string): RackwrightError =>
  fail('KUBERNETES_CONFIG_INVALID', `The kubeconfig cannot be used: ${why}.`);

/**
 * The kubeconfig of the contract: one cluster, one user, all files read. Each secret in it is remembered before it is
 * used. It never runs a program. Throws KUBERNETES_CONFIG_INVALID, KUBERNETES_CONFIG_REFUSED, SECRET_UNRESOLVED.
 */
export async function openKubeconfig(
  { kubeconfig: reference, context }: Kubernetes,
  secrets: Secrets,
): Promise<KubeConfig> {
  const { cluster, user, plain } = chosen(await secrets.secret(reference), context);
  if (user.exec || user.authProvider) {
    throw fail(
      'KUBERNETES_CONFIG_REFUSED',
      `The user ${user.name} of the kubeconfig gets its credentials from ${user.exec ? 'a program (exec)' : 'an auth-provider'}: that is not run.`,
    );
  }
  const pathOf = (path: string): string => {
    if (isAbsolute(path)) return path;
    if (reference.startsWith('file:')) return resolve(dirname(reference.slice('file:'.length)), path);
    throw invalid(`${path} is relative, and the kubeconfig does not lie in a file`);
  };
  const { caFile, ...keptCluster } = cluster;
  const { certFile, keyFile, ...keptUser } = user;
  const encoded = (pem: string): string => Buffer.from(pem).toString('base64');
  const config = new KubeConfig();
  const tokenFile = plain['tokenFile'] ?? plain['token-file'];
  const finished: User = {
    ...keptUser,
    ...(certFile === undefined || certFile === null
      ? {}
      : { certData: encoded(await publicFile(pathOf(certFile))) }),
    ...(keyFile === undefined || keyFile === null
      ? {}
      : { keyData: encoded(await secrets.secret(`file:${pathOf(keyFile)}`)) }),
    ...(typeof tokenFile === 'string' ? { token: await secrets.secret(`file:${pathOf(tokenFile)}`) } : {}),
  };
  rememberAll(finished, secrets);
  config.loadFromOptions({
    clusters: [
      {
        ...keptCluster,
        ...(caFile === undefined || caFile === null
          ? {}
          : { caData: encoded(await publicFile(pathOf(caFile))) }),
      },
    ],
    users: [finished],
    contexts: [{ name: CONTEXT, cluster: cluster.name, user: user.name }],
    currentContext: CONTEXT,
  });
  return config;
}

/** The cluster and user of the context that is meant. What the parsers say of a wrong text may quote it: it is not told. */
function chosen(
  text: string,
  wanted: string | undefined,
): { cluster: Cluster; user: User; plain: { readonly [field: string]: unknown } } {
  const config = new KubeConfig();
  let users: unknown;
  try {
    const value = parse(text, { prettyErrors: false }) as { users?: unknown } | null;
    users = value?.users;
    // A token file is read by ourselves.
    config.loadFromString(text.replaceAll(/^(\s*)token-file:/gm, '$1tokenFile:'));
  } catch {
    throw invalid('it is not the YAML of a kubeconfig, or an entry lacks its name');
  }
  const name = wanted ?? config.currentContext;
  if (!name) throw invalid('it has no current-context, and the contract names no context');
  const context = config.getContextObject(name);
  if (!context) throw invalid(`it has no context ${name}`);
  const cluster = config.getCluster(context.cluster);
  const user = config.getUser(context.user);
  if (!cluster)
    throw invalid(`its context ${name} names the cluster ${context.cluster}, which it does not have`);
  if (!user) throw invalid(`its context ${name} names the user ${context.user}, which it does not have`);
  if (!/^https:\/\/[^/@]+/.test(cluster.server)) {
    throw invalid('its server is no https URL: credentials are sent to nothing else');
  }
  const entry = (Array.isArray(users) ? users : []).find(
    (each: { name?: unknown } | null) => each?.name === user.name,
  ) as { user?: { [field: string]: unknown } } | undefined;
  return { cluster, user, plain: entry?.user ?? {} };
}

async function publicFile(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_CA) throw invalid(`${path} is larger than ${MAX_CA} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof RackwrightError) throw error;
    throw invalid(`${path}, which it names, cannot be read`);
  }
}

function rememberAll({ token, password, keyData }: User, { remember }: Secrets): void {
  for (const secret of [token, password, keyData])
    if (typeof secret === 'string' && secret !== '') remember(secret);
  if (typeof keyData === 'string') remember(Buffer.from(keyData, 'base64').toString('utf8'));
}
