import { z } from 'zod';
import { CAUSES } from '../../core/acceptance/causes.ts';
import { NAME_PATTERN } from '../../core/names.ts';
import { VERBS, isOperationVerb, type OperationVerbName, type Verb } from '../../core/verbs.ts';
import { Cron, Duration, Gate, HttpUrl, Name, SecretRef, Text, TimeZone } from './primitives.ts';
import { Reachability } from './reachability.ts';
import { RULES } from './rules.ts';

const operations = (Object.keys(VERBS) as Verb[]).filter(isOperationVerb) as OperationVerbName[];

/** How long things may take. What is left out keeps its built-in bound. */
export const Timeouts = z.strictObject({
  /** Of a whole operation, by verb. */
  deadlines: z.partialRecord(z.enum(operations), Duration).optional(),
  power: Duration.optional(),
  media: Duration.optional(),
  /** From power-on to the deploy agent's first call; and how long one that works may not answer. */
  agent: Duration.optional(),
  imageWrite: Duration.optional(),
  erase: Duration.optional(),
  /** From power-on to the guest's call. */
  firstBoot: Duration.optional(),
  /** Until the guest is reached from where its user is. */
  handOver: Duration.optional(),
});
export type Timeouts = z.output<typeof Timeouts>;

/** What a failure does; may stand at the top level and in `acceptance`. */
export const failurePolicy = {
  onFailure: z.enum(['hold', 'fail']).optional(),
  /** How long a held operation waits for someone. */
  holdFor: Duration.optional(),
  /** Whether a held node is made safe (media out, override cleared, power off) or left as it is. */
  onHold: z.enum(['safe', 'leave']).optional(),
  timeouts: Timeouts.optional(),
};

const Clock = z.string(RULES.clock.message).regex(/^([01]\d|2[0-3]):[0-5]\d$/, RULES.clock.message);

/** A time of the week, in the site's time zone. */
export const Window = z.strictObject({
  days: z.array(z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])).min(1),
  from: Clock,
  /** Earlier than `from`: the window ends on the next day. */
  to: Clock,
});

/** When disruptive work may be done. Without windows, at any time. */
export const Maintenance = z.strictObject({
  timeZone: TimeZone.default('UTC'),
  windows: z.array(Window).default([]),
  /** Who may open a window outside of these. */
  openedBy: z.array(Text).optional(),
});
export type Maintenance = z.output<typeof Maintenance>;

/** Gates that must be green, and how fresh, before a node is enrolled or deployed. */
export const Requires = z.strictObject({ gates: z.array(Gate).min(1), maxAge: Duration.optional() });
export type Requires = z.output<typeof Requires>;

/** What has to be shown before a disk counts as erased. */
export const Erase = z.strictObject({
  /**
   * `required`: each disk is read back from its medium, which takes a ramdisk with our hardware manager.
   * `reported`, the default: what the agent reports will do, and the step says that nothing was read back.
   */
  proof: z.enum(['required', 'reported']).default('reported'),
});

/** Where a change of the site's verdict is told. */
export const Webhook = z.strictObject({
  url: HttpUrl,
  /** What requests are signed with. */
  secret: SecretRef.optional(),
});

/** What starts an acceptance run by itself, beside the nightly one. */
export const RunOn = z.enum(CAUSES);

/** What a server is asked of the cloud with, where that goes by other names there; and how its user comes to it. */
export const AcceptanceCloud = z.strictObject({
  /** In Glance. Left out: as `image`. */
  image: Text.optional(),
  /** In Neutron. Left out: as `network`. */
  network: Text.optional(),
  configDrive: z.boolean().optional(),
  /** Where its user is: `worker`, or a vantage point. Left out: as `handOver` of the machine type; else the worker. */
  from: z.string(RULES.handOverFrom.message).regex(NAME_PATTERN, RULES.handOverFrom.message).optional(),
  /** TCP ports that answer there. Left out: as `handOver` of the machine type; else 22. */
  ports: z.array(z.int().min(1).max(65_535)).min(1).max(8).optional(),
  /** What the console's log says once the first boot is done. Left out: it is done when the guest answers. */
  firstBoot: z.strictObject({ console: Text }).optional(),
  /** The console that users are given. Left out: none is enabled. */
  console: z.enum(['novnc', 'serial', 'spice-html5']).optional(),
});

/** What acceptance runs on. */
export const Acceptance = z.strictObject({
  node: Name.optional(),
  type: Name.optional(),
  image: Name.optional(),
  network: Name.optional(),
  flavor: Text.optional(),
  cloud: AcceptanceCloud.optional(),
  gates: z.array(Gate).min(1).optional(),
  /** The vantage point that operators have: endpoints are tried from there, too. */
  operator: Name.optional(),
  /** The private key, PEM of Ed25519 or P-256, that what a run leaves is signed with. */
  signingKey: SecretRef.optional(),
  /** How far the clocks of controllers may be from each other and from the worker's. Left out: one second. */
  clockDifference: Duration.optional(),
  webhook: Webhook.optional(),
  runOn: z.array(RunOn).optional(),
  /** Which places stand for the components that open connections, and what they have to reach. */
  reachability: Reachability.optional(),
  ...failurePolicy,
});
export type Acceptance = z.output<typeof Acceptance>;

/** When acceptance runs by itself. */
export const Nightly = z.strictObject({
  schedule: Cron,
  timeZone: TimeZone.default('UTC'),
  jitter: Duration.optional(),
  catchUpWindow: Duration.optional(),
});
export type Nightly = z.output<typeof Nightly>;
