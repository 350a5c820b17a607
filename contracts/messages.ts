import { z } from 'zod';
import { parseDuration } from '../core/duration.ts';
import { CLEANUP_PREFIX, NAME_PATTERN, REQUEST_ID_PATTERN } from '../core/names.ts';
import { BIOS_ATTRIBUTE } from '../core/service-work.ts';
import type { Verb } from '../core/verbs.ts';

/**
 * The message of each verb as a schema, for what is generated from it (forms, reference, the API). Workflows
 * read messages with core's own parser, since zod never enters their bundle; a test holds both equal.
 */

const Image = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,127}$/);
const Owner = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/);
const SecretReference = z.string().regex(/^(env|file|blob):\S{1,400}$/);
const SshKeys = z.array(z.string().regex(/^(ssh-|ecdsa-|sk-)[^\r\n]{1,16000}$/)).max(32);
// Not `.max`, which counts an emoji as one character: core counts as JavaScript does.
const Reason = z.string().regex(/^[^\0]{1,1000}$/);
const StepId = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/);
const BiosValue = z.union([z.string().regex(/^[^\0\r\n]{0,1000}$/), z.int(), z.boolean()]);
const BiosSettings = z
  .record(z.string().regex(BIOS_ATTRIBUTE), BiosValue)
  .refine((settings) => Object.keys(settings).length > 0 && Object.keys(settings).length <= 500);
const ServiceStep = z.union([
  z.enum(['firmware', 'bios']),
  z.strictObject({
    step: z.literal('firmware'),
    baseline: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/)
      .optional(),
  }),
  z.strictObject({ step: z.literal('bios'), settings: BiosSettings.optional() }),
]);
const ServiceSteps = z
  .array(ServiceStep)
  .min(1)
  .max(2)
  .refine((steps) => new Set(steps.map((s) => (typeof s === 'string' ? s : s.step))).size === steps.length);
const Duration = z
  .union([z.string(), z.number()])
  .refine(
    (value) => parseDuration(value) !== undefined,
    'a duration such as 90s, 2h, or a number of seconds',
  );

const common = {
  requestId: z
    .string()
    .regex(REQUEST_ID_PATTERN)
    .refine((id) => !id.startsWith(CLEANUP_PREFIX))
    .optional(),
  reason: Reason.optional(),
  onFailure: z.enum(['hold', 'fail']).optional(),
  deadline: Duration.optional(),
};

/** A message with the common fields and a verb's own, and no other. */
const message = <S extends z.ZodRawShape>(own: S) => z.strictObject({ ...common, ...own });

/** What each verb takes, by signal and by update. */
export const VERB_MESSAGES = {
  enroll: message({}),
  inspect: message({ accept: z.boolean().optional() }),
  clean: message({ erase: z.enum(['metadata', 'full']).optional() }),
  deploy: message({
    image: Image,
    owner: Owner.optional(),
    userData: SecretReference.optional(),
    sshKeys: SshKeys.optional(),
    hostname: z.string().regex(NAME_PATTERN).optional(),
  }),
  reimage: message({ image: Image, keepData: z.boolean().optional() }),
  release: message({}),
  service: message({ steps: ServiceSteps }),
  rescue: message({ sshKeys: SshKeys.optional() }),
  unrescue: message({}),
  power: message({ state: z.enum(['on', 'off', 'reboot']) }),
  maintenance: message({ on: z.boolean(), reason: Reason }),
  quarantine: message({ reason: Reason }),
  unquarantine: message({ reason: Reason }),
  adopt: message({ owner: Owner, image: Image.optional() }),
  decommission: message({}),
  resume: message({ from: StepId.optional() }),
  abort: message({ reason: Reason }),
} as const satisfies { readonly [V in Verb]: z.ZodType };

/** What the watch of a site sends a node as signal `observed`. */
export const ObservedMessage = z.strictObject({
  generation: z.int().min(0),
  at: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/),
  reachable: z.boolean(),
  power: z.enum(['on', 'off']).optional(),
  health: z
    .string()
    .regex(/^\P{Cc}{1,300}$/u)
    .optional(),
  why: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{1,62}$/)
    .optional(),
});
