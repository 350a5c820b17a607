import type { FastifyInstance } from 'fastify';
import { PROJECT, REGION, type Account, type Cloud } from '../cloud.ts';
import { ApiError, UNAUTHORIZED } from '../errors.ts';
import { admin, type Service } from '../service.ts';
import { idOf, type Token, type Wire } from '../state.ts';
import { catalog, services } from './catalog.ts';
import { accountOf, authenticate, goodToken, issueToken, revoke } from './tokens.ts';

const DOMAIN = { id: 'default', name: 'Default' };
export const PROJECT_ID = idOf(`project/${PROJECT}`);
const METHODS = ['password', 'token'];

/** Keystone: who somebody is, and where the services are. */
export const keystone: Service = {
  name: 'keystone',
  prefix: '/identity',
  open: /^(\/v3)?$/,
  login: /^\/v3\/auth\/tokens$/,
  routes,
};

function routes(app: FastifyInstance, cloud: Cloud): void {
  const version = (): Wire => ({
    id: 'v3.14',
    status: 'stable',
    updated: '2020-04-07T00:00:00Z',
    links: [{ rel: 'self', href: `${cloud.url()}/identity/v3/` }],
    'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
  });
  app.get('/', (_request, reply) => reply.code(300).send({ versions: { values: [version()] } }));
  app.get('/v3', () => ({ version: version() }));
  tokens(app, cloud);
  lists(app, cloud);
}

function tokens(app: FastifyInstance, cloud: Cloud): void {
  app.post('/v3/auth/tokens', (request, reply) => {
    const asked = askedOf(request.body);
    const account = asked.methods.includes('token')
      ? holder(cloud, asked.token)
      : authenticate(cloud, asked.user, asked.password);
    if (account === undefined || !rightScope(account, asked)) throw new ApiError(401, UNAUTHORIZED);
    const { id, token } = issueToken(cloud, account, asked.system);
    return reply
      .code(201)
      .header('x-subject-token', id)
      .header('vary', 'X-Auth-Token')
      .send({ token: shown(cloud, account, token, !request.url.includes('nocatalog')) });
  });
  const subject = (headers: { [name: string]: unknown }): { id: string; token: Token } => {
    if (goodToken(cloud, headers['x-auth-token']) === undefined) throw new ApiError(401, UNAUTHORIZED);
    const id = headers['x-subject-token'];
    const token = goodToken(cloud, id);
    if (token === undefined) throw new ApiError(404, 'Failed to validate token');
    return { id: String(id), token };
  };
  app.get('/v3/auth/tokens', (request, reply) => {
    const { id, token } = subject(request.headers);
    const account = accountOf(cloud, token.user)!;
    return reply
      .header('x-subject-token', id)
      .send({ token: shown(cloud, account, token, !request.url.includes('nocatalog')) });
  });
  app.delete('/v3/auth/tokens', (request, reply) => {
    revoke(cloud, subject(request.headers).id);
    return reply.code(204).send();
  });
}

const holder = (cloud: Cloud, id: string): Account | undefined => {
  const token = goodToken(cloud, id);
  return token && accountOf(cloud, token.user);
};

interface Asked {
  readonly methods: readonly string[];
  readonly user: string;
  readonly password: string;
  readonly token: string;
  readonly project: { readonly id?: string; readonly name?: string } | undefined;
  readonly system: boolean;
}

function askedOf(body: unknown): Asked {
  const tree = (value: unknown): Wire => (typeof value === 'object' && value !== null ? (value as Wire) : {});
  const auth = tree(tree(body)['auth']);
  const identity = tree(auth['identity']);
  const methods = identity['methods'];
  if (!Array.isArray(methods) || methods.length === 0)
    throw new ApiError(400, "Invalid input for field 'auth/identity': 'methods' is a required property");
  const unknown = methods.find((method) => !METHODS.includes(String(method)));
  if (unknown !== undefined)
    throw new ApiError(401, `Attempted to authenticate with an unsupported method: ${unknown}.`);
  const user = tree(tree(identity['password'])['user']);
  const id = typeof user['id'] === 'string' ? user['id'] : undefined;
  const scope = tree(auth['scope']);
  return {
    methods: methods.map(String),
    user: id?.replace(/^user-/, '') ?? String(user['name'] ?? ''),
    password: String(user['password'] ?? ''),
    token: String(tree(identity['token'])['id'] ?? ''),
    project: scope['project'] as Asked['project'],
    system: tree(scope['system'])['all'] === true,
  };
}

/** A token is for the project of the lab; an administrator's may be for the system. */
function rightScope({ roles }: Account, { project, system }: Asked): boolean {
  if (system) return roles.includes('admin');
  return project !== undefined && (project.name === PROJECT || project.id === PROJECT_ID);
}

const isoMicro = (time: string): string => time.replace('Z', '000Z');

const shown = (cloud: Cloud, account: Account, token: Token, withCatalog: boolean): Wire => ({
  methods: ['password'],
  user: {
    domain: DOMAIN,
    id: `user-${account.name}`,
    name: account.name,
    password_expires_at: null,
  },
  audit_ids: [idOf(token.issuedAt).slice(0, 22)],
  expires_at: isoMicro(token.expiresAt),
  issued_at: isoMicro(token.issuedAt),
  ...(token.system
    ? { system: { all: true } }
    : { project: { domain: DOMAIN, id: PROJECT_ID, name: PROJECT }, is_domain: false }),
  roles: account.roles.map((name) => ({ id: idOf(`role/${name}`), name })),
  ...(withCatalog ? { catalog: catalog(cloud) } : {}),
});

function lists(app: FastifyInstance, cloud: Cloud): void {
  const self = (path: string) => ({ self: `${cloud.url()}/identity/v3/${path}`, previous: null, next: null });
  const projects = (): Wire[] => [
    {
      id: PROJECT_ID,
      name: PROJECT,
      domain_id: DOMAIN.id,
      description: '',
      enabled: true,
      parent_id: DOMAIN.id,
      is_domain: false,
      tags: [],
      options: {},
      links: { self: `${cloud.url()}/identity/v3/projects/${PROJECT_ID}` },
    },
  ];
  const regions = (): Wire[] => [
    {
      id: REGION,
      description: '',
      parent_region_id: null,
      links: { self: `${cloud.url()}/identity/v3/regions/${REGION}` },
    },
  ];
  const all: { [name: string]: () => Wire[] } = {
    projects,
    regions,
    services: () => services(cloud).map(({ service }) => service),
    endpoints: () => services(cloud).flatMap(({ endpoints }) => endpoints),
    users: () =>
      cloud.accounts.map(({ name }) => ({
        id: `user-${name}`,
        name,
        domain_id: DOMAIN.id,
        enabled: true,
        password_expires_at: null,
        options: {},
        links: { self: `${cloud.url()}/identity/v3/users/user-${name}` },
      })),
    domains: () => [
      {
        ...DOMAIN,
        description: 'The default domain',
        enabled: true,
        tags: [],
        options: {},
        links: { self: `${cloud.url()}/identity/v3/domains/${DOMAIN.id}` },
      },
    ],
  };
  for (const [name, list] of Object.entries(all)) {
    const one = name.replace(/s$/, '');
    const onRequest = name === 'regions' ? [] : [admin('keystone', `identity:list_${name}`)];
    app.get(`/v3/${name}`, { onRequest }, (request) => {
      const query = request.query as { [field: string]: string };
      const wanted = Object.entries(query).filter(([field]) => !['limit', 'marker'].includes(field));
      const found = list().filter((each) => wanted.every(([field, value]) => String(each[field]) === value));
      return { [name]: found, links: self(name) };
    });
    app.get(`/v3/${name}/:id`, { onRequest }, (request) => {
      const { id } = request.params as { id: string };
      const found = list().find((each) => each['id'] === id);
      if (found === undefined) throw new ApiError(404, `Could not find ${one}: ${id}.`);
      return { [one]: found };
    });
  }
  app.get('/v3/auth/catalog', () => ({ catalog: catalog(cloud), links: self('auth/catalog') }));
  app.get('/v3/auth/projects', () => ({ projects: projects(), links: self('auth/projects') }));
}
