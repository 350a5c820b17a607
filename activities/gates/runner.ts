import { Context } from '@temporalio/activity';
import { fingerprint } from '../../core/fingerprint.ts';
import type { Check } from '../../core/acceptance/check.ts';
import type { CheckInput, CheckResult } from '../../core/acceptance/report.ts';
import { fail } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { pauseAt } from '../crash-points.ts';
import { ACCEPTANCE_SUBJECT } from '../records/safe-names.ts';
import { activity, GRACE_MS, within } from '../runner.ts';
import { redact } from '../secrets/redact.ts';
import type { Site } from '../site.ts';
import type { CheckContext, CheckFunction, GateCheck } from './check.ts';

type Activity = (input: never) => Promise<unknown>;

/** The activities of the gates: `gates.<check>`, one for each. */
export function gateActivities(site: Site, checks: readonly GateCheck[]): { [name: string]: Activity } {
  return Object.fromEntries(
    checks.map((made) => [
      `gates.${made.check.id}`,
      (input: CheckInput) => {
        const { check } = made;
        let told: JsonObject | undefined;
        const run = async (): Promise<CheckResult> => {
          await pauseAt(`acceptance:${check.id}:before`);
          const context = {
            ...(await contextOf(site, check, input)),
            progress: (what: JsonObject) => void (told = what),
          };
          const result = await inTime(check, context, made);
          await pauseAt(`acceptance:${check.id}:after`);
          return redact(result, site.secrets);
        };
        return activity(site, run, () => told)(input);
      },
    ]),
  );
}

/** Gives a check the time of its attempt. */
function inTime(check: Check, context: CheckContext, made: CheckFunction): Promise<CheckResult> {
  const attempt = Context.current().info.startToCloseTimeoutMs - GRACE_MS;
  const silence = (): Error =>
    fail('CHECK_TIMEOUT', `${check.title}: it did not come to an end in its time.`, {
      faultDomain: check.faultDomain,
      retryable: false,
    });
  return within(attempt, context.signal, silence, (signal) => made.run({ ...context, signal }));
}

async function contextOf(site: Site, { from }: Check, input: CheckInput): Promise<CheckContext> {
  return {
    input,
    site,
    inventory: await site.contracts.load(input.contractHash),
    signal: Context.current().cancellationSignal,
    secret: (reference) => site.secret(reference),
    evidence: (target, { asked, answer }) =>
      site.evidence.put(
        {
          site: input.site,
          node: ACCEPTANCE_SUBJECT,
          requestId: input.runId,
          step: input.check,
          name: labelOf(target),
          run: input.run,
          asked,
          of: target,
          from,
          answer,
        },
        site.secrets,
      ),
  };
}

/** The name of a target as a label; where letters had to give way, what tells it from others follows. */
function labelOf(target: string): string {
  const plain = target.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^[_-]/, 'x');
  if (plain === target && plain.length <= 64) return plain;
  return `${plain.slice(0, 49)}-${fingerprint(target)}`;
}
