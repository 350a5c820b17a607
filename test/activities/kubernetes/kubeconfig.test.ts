import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openKubeconfig } from '../../../activities/kubernetes/kubeconfig.ts';
import { resolveSecret } from '../../../activities/secrets/resolve.ts';
import { temporaryFolder } from '../../support/cli.ts';

const SECRET = 'tok-3f9c1d7a';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const kubeconfig = (user: string, cluster = 'server: https://10.0.0.1:6443'): string => `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: x, context: {cluster: c, user: u}}, {name: lost, context: {cluster: gone, user: u}}]
current-context: x
`;

/** Opens a kubeconfig given as text; answers it with what was remembered as secret. */
async function open(text: string, context?: string) {
  const remembered: string[] = [];
  const config = await openKubeconfig(
    { kubeconfig: 'env:KUBECONFIG_TEXT', ...(context === undefined ? {} : { context }) },
    {
      secret: async (reference) => (reference.startsWith('env:') ? text : resolveSecret(reference)),
      remember: (value) => remembered.push(value),
    },
  );
  return { config, remembered };
}

const told = (text: string, context?: string) =>
  open(text, context).then(
    () => 'opened',
    (error: { failure: { code: string; message: string } }) =>
      `${error.failure.code} ${error.failure.message}`,
  );

describe('a kubeconfig', () => {
  it('with a token is opened, and the token is remembered', async () => {
    const { config, remembered } = await open(kubeconfig(`token: ${SECRET}`));
    expect(config.getCurrentUser()?.token).toBe(SECRET);
    expect(config.getCurrentCluster()?.server).toBe('https://10.0.0.1:6443');
    expect(remembered).toEqual([SECRET]);
  });

  it('with a client certificate has its key remembered, as it stands and as it is used', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----\n';
    const { remembered } = await open(
      kubeconfig(`client-certificate-data: ${base64('cert')}, client-key-data: ${base64(key)}`),
    );
    expect(remembered).toEqual([base64(key), key]);
  });

  it('that refers to files is opened with what is in them, wherever the worker runs', async () => {
    using folder = temporaryFolder();
    for (const [name, text] of Object.entries({
      'ca.pem': 'CA',
      key: 'KEY',
      cert: 'CERT',
      token: `${SECRET}\n`,
    }))
      writeFileSync(join(folder.path, name), text);
    const file = join(folder.path, 'config');
    writeFileSync(
      file,
      kubeconfig(
        'tokenFile: token, client-certificate: cert, client-key: key',
        'server: https://k, certificate-authority: ca.pem',
      ),
    );
    const remembered: string[] = [];
    const config = await openKubeconfig(
      { kubeconfig: `file:${file}` },
      { secret: (reference) => resolveSecret(reference), remember: (value) => remembered.push(value) },
    );
    expect(config.getCurrentUser()).toMatchObject({
      token: SECRET,
      keyData: base64('KEY'),
      certData: base64('CERT'),
    });
    expect(config.getCurrentCluster()?.caData).toBe(base64('CA'));
    expect(remembered).toEqual([SECRET, base64('KEY'), 'KEY']);
  });

  it.each<[string, string, string | undefined, RegExp]>([
    [
      'runs a program',
      kubeconfig('exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks, get-token]}'),
      undefined,
      /^KUBERNETES_CONFIG_REFUSED .*from a program \(exec\)/,
    ],
    [
      'has an auth-provider',
      kubeconfig('auth-provider: {name: gcp, config: {cmd-path: gcloud}}'),
      undefined,
      /^KUBERNETES_CONFIG_REFUSED/,
    ],
    ['lacks the context', kubeconfig('token: x'), 'prod', /^KUBERNETES_CONFIG_INVALID .*no context prod/],
    ['lacks the cluster', kubeconfig('token: x'), 'lost', /^KUBERNETES_CONFIG_INVALID .*cluster gone/],
    [
      'sends credentials in clear',
      kubeconfig('token: x', 'server: http://10.0.0.1:8080'),
      undefined,
      /^KUBERNETES_CONFIG_INVALID .*no https URL/,
    ],
    [
      'has a relative path, and lies in no file',
      kubeconfig('token: x', 'server: https://k, certificate-authority: ca.pem'),
      undefined,
      /^KUBERNETES_CONFIG_INVALID .*ca\.pem is relative/,
    ],
    ['is empty', '{}', undefined, /^KUBERNETES_CONFIG_INVALID .*no current-context/],
    ['is a list', '[]', undefined, /^KUBERNETES_CONFIG_INVALID/],
    ['has an entry without a name', 'clusters: [{}]', undefined, /^KUBERNETES_CONFIG_INVALID/],
  ])('that %s is refused', async (_what, text, context, message) => {
    expect(await told(text, context)).toMatch(message);
  });

  it('that is no YAML is refused without a word of what it says', async () => {
    const said = await told(`users: [{name: u, user: {token: ${SECRET}}\n : {`);
    expect(said).toMatch(/^KUBERNETES_CONFIG_INVALID/);
    expect(said).not.toContain(SECRET);
  });
});
