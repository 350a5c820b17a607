import { z } from 'zod';
import { Duration, FilePath, HttpUrl, isSecretRef, SecretRef, Sha256 } from './primitives.ts';
import { RULES } from './rules.ts';

/** The name of an account, as the BMC has it. Never a secret reference: it is compared, and told. */
const UserName = z
  .string(RULES.accounts.message)
  .min(1)
  .max(256)
  .refine((name) => !isSecretRef(name), RULES.accounts.message);

/** Who logs in to a BMC. The user name may be written plainly; the password never is. */
export const Credentials = z.strictObject({
  username: z.string().min(1).max(256),
  password: SecretRef,
});
export type Credentials = z.output<typeof Credentials>;

/** How a BMC's certificate is judged: by the system's CAs, one CA, one pinned certificate, or not at all. */
export const TlsPolicy = z.union(
  [z.enum(['verify', 'insecure']), z.strictObject({ ca: FilePath }), z.strictObject({ fingerprint: Sha256 })],
  RULES.tls.message,
);
export type TlsPolicy = z.output<typeof TlsPolicy>;

const shared = {
  tls: TlsPolicy.optional(),
  auth: z.enum(['session', 'basic']).optional(),
  timeouts: z
    .strictObject({
      /** Bounds of one request. */
      connect: Duration.optional(),
      request: Duration.optional(),
      /** How long a system is given to shut down by itself, before its power is cut. */
      shutdown: Duration.optional(),
    })
    .optional(),
  /**
   * User names that may be enabled on the BMC beside the contract's own. Given, also as an empty list: any
   * other enabled account is a difference at a change of owner. Left out: the others are told.
   */
  accounts: z.array(UserName).max(64).optional(),
  /** How the host may reach its BMC: compared with InterfaceEnabled at a change of owner. */
  hostInterface: z.enum(['enabled', 'disabled']).optional(),
};

/** How often power and health of every node are looked at, or that they are not. */
export const Watch = z.union(
  [
    z.literal('off'),
    z.strictObject({
      interval: Duration.refine((seconds) => seconds >= 1 && seconds <= 3600, RULES.interval.message),
    }),
  ],
  RULES.watch.message,
);
export type Watch = z.output<typeof Watch>;

/** What holds for every BMC that does not say otherwise. */
export const BmcDefaults = z.strictObject({
  credentials: Credentials.optional(),
  ...shared,
  /** For the nodes of every driver. Left out: every minute. */
  watch: Watch.optional(),
});
export type BmcDefaults = z.output<typeof BmcDefaults>;

const namesNoResource = (address: string): boolean => !/\/redfish(\/|$)/i.test(address);

/** The BMC's address: scheme, host, port, and a path prefix where a proxy needs one. */
export const BmcAddress = HttpUrl.refine(namesNoResource, RULES.bmcOrigin.message).transform((address) =>
  address.replace(/\/+$/, ''),
);

const namesNoManager = (path: string): boolean => !/\/Managers(\/|$)/i.test(path);

/** Path of the ComputerSystem. */
export const SystemPath = z
  .string()
  .refine(namesNoManager, { error: RULES.manager.message, abort: true })
  .regex(/^\/redfish\/v1\/Systems\/[^/\s?#]+\/?$/, RULES.system.message)
  .transform((path) => path.replace(/\/$/, ''));

/** How one server's BMC is reached. */
export const NodeBmc = z.strictObject({
  address: BmcAddress,
  /** Left out where the BMC has exactly one system. */
  system: SystemPath.optional(),
  credentials: Credentials.partial().optional(),
  ...shared,
  /** Leaves this one alone between operations. */
  watch: z.literal('off', RULES.watchOff.message).optional(),
});
export type NodeBmc = z.output<typeof NodeBmc>;
