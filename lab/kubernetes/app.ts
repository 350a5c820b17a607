import type { IncomingMessage } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Identity } from '../certificates.ts';
import type { Faults } from '../faults.ts';
import { cephStatus } from './ceph.ts';
import { execUpgrade } from './exec.ts';
import { glanceCheck } from './glance.ts';
import { isProbe, probe } from './probe.ts';
import { shown } from './faulty.ts';
import type { Objects, Wire } from './objects.ts';

export interface Cluster {
  readonly objects: Objects;
  readonly faults: Faults;
  readonly token: string;
}

/** Where each resource is, with its kind, and whether it is one of a namespace. */
const RESOURCES: readonly (readonly [group: string, resource: string, kind: string, namespaced: boolean])[] =
  [
    ['/api/v1', 'namespaces', 'Namespace', false],
    ['/api/v1', 'nodes', 'Node', false],
    ['/api/v1', 'pods', 'Pod', true],
    ['/api/v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true],
    ['/apis/apps/v1', 'deployments', 'Deployment', true],
    ['/apis/apps/v1', 'statefulsets', 'StatefulSet', true],
    ['/apis/apps/v1', 'daemonsets', 'DaemonSet', true],
    ['/apis/batch/v1', 'jobs', 'Job', true],
    ['/apis/storage.k8s.io/v1', 'storageclasses', 'StorageClass', false],
    ['/apis/coordination.k8s.io/v1', 'leases', 'Lease', true],
  ];

/** What the API server checks of itself, in the order that it lists them. */
const READYZ = [
  'ping',
  'log',
  'etcd',
  'etcd-readiness',
  'informer-sync',
  'poststarthook/rbac/bootstrap-roles',
  'shutdown',
];

/** The Kubernetes API of a cluster, as far as acceptance reads it, over TLS. */
export function kubernetesApp({ objects, faults, token }: Cluster, identity: Identity): FastifyInstance {
  const app = Fastify({ https: { ...identity, minVersion: 'TLSv1.2' }, forceCloseConnections: true });
  app.server.on('connection', (socket) => {
    if (faults.on('apiDown')) socket.destroy();
  });
  const admit = (request: IncomingMessage): number | undefined => {
    if (faults.take('apiUnavailable')) return 503;
    return isBearer(request.headers.authorization, token) && !faults.on('apiUnauthorized') ? undefined : 401;
  };
  app.addHook('onRequest', async (request, reply) => {
    const slow = faults.milliseconds('apiSlow');
    if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow).unref());
    const refused = admit(request.raw);
    if (refused !== undefined) await refuse(reply, refused, request.url);
  });
  app.get('/readyz', (_request, reply) => {
    const down = faults.on('apiNotReady');
    const lines = READYZ.map((name) =>
      down && name.startsWith('etcd') ? `[-]${name} failed: reason withheld` : `[+]${name} ok`,
    );
    return reply
      .code(down ? 500 : 200)
      .type('text/plain; charset=utf-8')
      .send(`${lines.join('\n')}\nreadyz check ${down ? 'failed' : 'passed'}\n`);
  });
  for (const [group, resource, kind, namespaced] of RESOURCES) {
    const apiVersion = group.replace(/^\/apis?\//, '');
    const list = namespaced ? `${group}/namespaces/:namespace/${resource}` : `${group}/${resource}`;
    const of = (namespace: string | undefined): Wire[] =>
      shown(objects, resource, faults).filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      );
    app.get(list, (request, reply) => {
      if (faults.on('apiForbidden'))
        return refuse(
          reply,
          403,
          `${resource} is forbidden: User "rackwright" cannot list resource "${resource}"`,
        );
      const { namespace } = request.params as { namespace?: string };
      return { kind: `${kind}List`, apiVersion, ...page(of(namespace), request) };
    });
    app.get(`${list}/:name`, (request, reply) => {
      const { namespace, name } = request.params as { namespace?: string; name: string };
      const found = of(namespace).find(({ metadata }) => metadata.name === name);
      return found ? { kind, apiVersion, ...found } : refuse(reply, 404, `${resource} "${name}" not found`);
    });
  }
  app.setNotFoundHandler((_request, reply) =>
    refuse(reply, 404, 'the server could not find the requested resource'),
  );
  app.server.on(
    'upgrade',
    execUpgrade(admit, (namespace, pod, command) => {
      const found = shown(objects, 'pods', faults).some(
        ({ metadata }) => metadata.namespace === namespace && metadata.name === pod,
      );
      if (!found) return 404;
      if (faults.on('apiForbidden')) return 403;
      if (command.slice(0, 4).join(' ') === 'ceph status --format json' && pod.startsWith('rook-ceph-tools'))
        return cephStatus(faults);
      if (command.join(' ') === 'glance-manage db check' && pod.startsWith('glance-api'))
        return glanceCheck(faults);
      if (isProbe(command) && !faults.on('podsWithoutPython')) return probe(command);
      return { exitCode: 127, stdout: '', stderr: `${command[0]}: command not found\n` };
    }),
  );
  return app;
}

function isBearer(header: string | undefined, token: string): boolean {
  const [given, right] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** `limit` and `continue` as the API has them, and labels that must be equal. */
function page(all: readonly Wire[], request: FastifyRequest): { metadata: unknown; items: unknown[] } {
  const {
    limit,
    continue: from,
    labelSelector,
  } = request.query as { [parameter: string]: string | undefined };
  const wanted = (labelSelector ?? '').split(',').filter((each) => each !== '');
  const found = all.filter(({ metadata }) =>
    wanted.every((each) => {
      const [key = '', value] = each.split('=');
      return metadata.labels?.[key] === value;
    }),
  );
  const start = Number(from === undefined ? 0 : Buffer.from(from, 'base64url').toString());
  const end = limit === undefined ? found.length : start + Number(limit);
  const left = found.length - end;
  return {
    metadata: {
      resourceVersion: '1',
      ...(left > 0
        ? { continue: Buffer.from(String(end)).toString('base64url'), remainingItemCount: left }
        : {}),
    },
    items: found.slice(start, end),
  };
}

const REASONS: { readonly [status: number]: string } = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  503: 'ServiceUnavailable',
};

const refuse = (reply: FastifyReply, code: number, message: string): FastifyReply =>
  reply.code(code).send({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: code === 401 ? 'Unauthorized' : message,
    reason: REASONS[code],
    code,
  });
