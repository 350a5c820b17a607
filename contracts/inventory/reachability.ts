import { z } from 'zod';
import { NAME_PATTERN } from '../../core/names.ts';
import { HOST } from './platform.ts';
import { Duration, HttpUrl, Name, PlainUrl, withoutQuery } from './primitives.ts';
import { RULES } from './rules.ts';

const Host = z.string().regex(HOST, RULES.sshHost.message);
const Target = z.strictObject({ host: Host, port: z.int().min(1).max(65_535) });
const Workload = z
  .union([HttpUrl, Target])
  .refine((each) => typeof each !== 'string' || withoutQuery(each), RULES.plainUrl.message);
const From = z.string(RULES.reachFrom.message).regex(NAME_PATTERN, RULES.reachFrom.message);
const targets = <T extends z.ZodType>(of: T) => z.array(of).min(1).max(64);

/**
 * Which place stands for which component, and what it has to reach: a check from anywhere else does not count. `from`:
 * a vantage point, or `worker`, where the component is on the machine of the worker.
 */
export const Reachability = z.strictObject({
  /** The vantage points of Ironic's conductors: each has to reach the BMCs of Ironic's nodes. */
  conductors: z.array(From).min(1).max(16).optional(),
  /** The nodes whose BMCs are tried. Left out: all. */
  bmcs: z.array(Name).min(1).optional(),
  /** When BMCs fetch media: as they are inserted, or not before a server boots from them. @default insert */
  bmcFetches: z.enum(['insert', 'boot']).optional(),
  /** How old the last that is known of a deploy agent may be. @default 7d */
  agentMaxAge: Duration.optional(),
  operator: z
    .strictObject({
      from: From,
      /** Beside the Kubernetes API and the endpoints of the cloud, which are asked anyway. */
      api: targets(PlainUrl).optional(),
      console: targets(PlainUrl).optional(),
    })
    .optional(),
  user: z
    .strictObject({
      from: From,
      /** Beside the public endpoints of the cloud, which are asked anyway. */
      api: targets(PlainUrl).optional(),
      guests: targets(Target).optional(),
      workloads: targets(Workload).optional(),
    })
    .optional(),
  guest: z.strictObject({ from: From, reaches: targets(Target) }).optional(),
});
export type Reachability = z.output<typeof Reachability>;
