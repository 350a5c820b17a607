import { createHash, generateKeyPairSync } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { bodyOf } from '../page.ts';
import { micro, type Wire } from '../state.ts';
import { since } from '../versions.ts';

export const QUOTA = { instances: 10, cores: 20, ram: 51_200, key_pairs: 100, server_groups: 10 } as const;
const OTHERS = { metadata_items: 128, server_group_members: 10 } as const;

/** What the project has of each quota. */
export function used(cloud: Cloud): { instances: number; cores: number; ram: number } {
  if (cloud.faults.nova.on('quotaFull'))
    return { instances: QUOTA.instances, cores: QUOTA.cores, ram: QUOTA.ram };
  const flavors = cloud.state.servers.map((server) =>
    cloud.state.flavors.find((each) => each['id'] === server.flavor),
  );
  const sum = (field: string): number => flavors.reduce((all, each) => all + Number(each?.[field] ?? 0), 0);
  return { instances: cloud.state.servers.length, cores: sum('vcpus'), ram: sum('ram') };
}

/** Quotas and key pairs of the project. */
export function projectRoutes(app: FastifyInstance, cloud: Cloud): void {
  app.get('/v2.1/limits', () => {
    const { instances, cores, ram } = used(cloud);
    return {
      limits: {
        rate: [],
        absolute: {
          maxTotalInstances: QUOTA.instances,
          maxTotalCores: QUOTA.cores,
          maxTotalRAMSize: QUOTA.ram,
          maxTotalKeypairs: QUOTA.key_pairs,
          maxServerGroups: QUOTA.server_groups,
          maxServerGroupMembers: OTHERS.server_group_members,
          maxServerMeta: OTHERS.metadata_items,
          totalInstancesUsed: instances,
          totalCoresUsed: cores,
          totalRAMUsed: ram,
          totalServerGroupsUsed: 0,
        },
      },
    };
  });
  app.get('/v2.1/os-quota-sets/:project', (request) => {
    const { project } = request.params as { project: string };
    return { quota_set: { id: project, ...QUOTA, ...OTHERS } };
  });
  app.get('/v2.1/os-quota-sets/:project/detail', (request) => {
    const { project } = request.params as { project: string };
    const now: { [name: string]: number } = { ...used(cloud), key_pairs: 0 };
    const each = Object.entries({ ...QUOTA, ...OTHERS }).map(([name, limit]) => [
      name,
      { limit, in_use: now[name] ?? 0, reserved: 0 },
    ]);
    return { quota_set: { id: project, ...Object.fromEntries(each) } };
  });
  keypairs(app, cloud);
}

function keypairs(app: FastifyInstance, cloud: Cloud): void {
  const shown = ({ user_id, created_at, type, ...rest }: Wire, version: string, whole: boolean): Wire => ({
    ...rest,
    ...(since(version, '2.2') ? { type } : {}),
    ...(whole ? { user_id, created_at, deleted: false, deleted_at: null, updated_at: null, id: 1 } : {}),
  });
  app.get('/v2.1/os-keypairs', (request) => ({
    keypairs: cloud.state.keypairs.map((each) => ({ keypair: shown(each, request.version, false) })),
  }));
  app.get('/v2.1/os-keypairs/:name', (request) => {
    const { name } = request.params as { name: string };
    const found = cloud.state.keypairs.find((each) => each['name'] === name);
    if (found === undefined)
      throw new ApiError(404, `Keypair ${name} not found for user ${request.account!.name}`);
    return { keypair: shown(found, request.version, true) };
  });
  app.post('/v2.1/os-keypairs', (request, reply) => {
    const { name, public_key: given, type = 'ssh' } = bodyOf(request, 'keypair');
    if (cloud.state.keypairs.some((each) => each['name'] === name))
      throw new ApiError(409, `Key pair '${String(name)}' already exists.`);
    if (given === undefined && since(request.version, '2.92'))
      throw new ApiError(
        400,
        "Invalid input for field/attribute keypair. 'public_key' is a required property",
      );
    const made = given === undefined ? generated() : { public_key: String(given) };
    const [, body = ''] = made.public_key.split(' ');
    if (body === '') throw new ApiError(400, 'Keypair data is invalid: failed to generate fingerprint');
    const hash = createHash('md5').update(Buffer.from(body, 'base64')).digest('hex');
    const keypair: Wire = {
      name,
      public_key: made.public_key,
      fingerprint: hash.match(/../g)!.join(':'),
      type,
      user_id: `user-${request.account!.name}`,
      created_at: micro(),
    };
    cloud.state.keypairs.push(keypair);
    cloud.save();
    const { created_at: _, ...answer } = keypair;
    return reply
      .code(since(request.version, '2.2') ? 201 : 200)
      .send({ keypair: { ...answer, ...('private_key' in made ? { private_key: made.private_key } : {}) } });
  });
  app.delete('/v2.1/os-keypairs/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    const left = cloud.state.keypairs.filter((each) => each['name'] !== name);
    if (left.length === cloud.state.keypairs.length)
      throw new ApiError(404, `Keypair ${name} not found for user ${request.account!.name}`);
    cloud.state.keypairs = left;
    cloud.save();
    return reply.code(since(request.version, '2.2') ? 204 : 202).send();
  });
}

/** A key pair that Nova makes where none is given. */
function generated(): { public_key: string; private_key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const part = (bytes: Buffer): Buffer => {
    const padded = bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
    const size = Buffer.alloc(4);
    size.writeUInt32BE(padded.length);
    return Buffer.concat([size, padded]);
  };
  const size = Buffer.alloc(4);
  size.writeUInt32BE(7);
  const blob = Buffer.concat([
    size,
    Buffer.from('ssh-rsa'),
    part(Buffer.from(e, 'base64url')),
    part(Buffer.from(n, 'base64url')),
  ]);
  return {
    public_key: `ssh-rsa ${blob.toString('base64')} Generated-by-Nova`,
    private_key: String(privateKey.export({ type: 'pkcs1', format: 'pem' })),
  };
}
