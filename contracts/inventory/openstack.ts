import { z } from 'zod';
import { INTERFACES, SERVICE_TYPES } from '../../core/openstack/catalog.ts';
import { BareMetal } from './bare-metal.ts';
import { FilePath, HttpUrl, SecretRef, Text } from './primitives.ts';
import { RULES } from './rules.ts';

/** How Ironic is spoken to. */
export const IronicApi = z.strictObject({
  url: HttpUrl.transform((url) => url.replace(/\/+$/, '')),
  auth: z
    .union([
      z.literal('none'),
      z.strictObject({ type: z.literal('http_basic'), username: Text, password: SecretRef }),
    ])
    .default('none'),
  microversion: z
    .string(RULES.microversion.message)
    .regex(/^1\.\d{1,3}$/, RULES.microversion.message)
    .optional(),
});
export type IronicApi = z.output<typeof IronicApi>;

export const OpenStack = z.strictObject({
  ironic: IronicApi.optional(),
  /** Keystone, with or without `/v3`: the site has a cloud. */
  authUrl: HttpUrl.optional(),
  region: Text.optional(),
  /** Which endpoints of the catalogue are asked. @default public */
  interface: z.enum(INTERFACES).optional(),
  /** The services that the cloud has to have. Left out: all six that are known. */
  services: z.array(z.enum(SERVICE_TYPES)).min(1).optional(),
  /** CA of the API's certificates, where it is not one of the system's. */
  ca: FilePath.optional(),
  credentials: z
    .strictObject({
      username: Text,
      password: SecretRef,
      project: Text,
      /** Of the user and of the project. @default Default */
      domain: Text.optional(),
      /** Ironic is asked with a token of the system instead of the project. */
      systemScope: z.literal('all').optional(),
    })
    .optional(),
  bareMetal: BareMetal.optional(),
});
export type OpenStack = z.output<typeof OpenStack>;
