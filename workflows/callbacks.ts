import { failure, type Failure } from '../core/errors/failure.ts';
import { parseAgentHeartbeat, parseAgentLookup, parseFirstBoot } from '../core/gateway-messages.ts';
import type { JsonObject } from '../core/json.ts';
import type {
  AgentContact,
  AgentHeartbeat,
  GatewayAccess,
  OperationRef,
  TokenWindow,
} from '../core/operations.ts';
import type { Step } from '../core/steps.ts';

/** Who may call back, and what they said: the deploy agent of one boot, and the guest of one boot. */
export class Callbacks {
  window: TokenWindow = { epoch: 0, expires: 0 };
  agent: AgentContact | null = null;
  firstBoot: JsonObject | null = null;
  #lookedUp = false;
  #bootingFromMedia = false;
  #firstBootOpen = false;
  #over = false;

  /** Opens the window for the steps that are about to run; an agent that is booted anew gets a new one. */
  open(steps: readonly Step[], expires: number): void {
    if (steps.some((step) => step.awaits === 'agent')) {
      this.window = { epoch: this.window.epoch + 1, expires };
      this.agent = null;
      this.#lookedUp = false;
      this.#bootingFromMedia = true;
    }
    this.window = { epoch: Math.max(1, this.window.epoch), expires };
    if (steps.some((step) => step.awaits === 'first-boot')) {
      this.firstBoot = null;
      this.#firstBootOpen = true;
    }
  }

  /** The operation is over: nobody may call back any more. */
  end(): void {
    this.close();
    this.#over = true;
  }

  /** Nothing is served for now: the operation is held. */
  close(): void {
    this.#bootingFromMedia = false;
    this.#firstBootOpen = false;
  }

  access(ref: OperationRef | null, args: JsonObject): GatewayAccess {
    return {
      ref,
      window: this.window,
      mediaOpen: this.#bootingFromMedia && !this.#lookedUp,
      agentHeard: this.agent !== null,
      callbackUrl: this.agent?.callbackUrl ?? null,
      certificate: this.agent?.certificate ?? null,
      firstBootOpen: this.#firstBootOpen,
      firstBootHeard: this.firstBoot !== null,
      args,
    };
  }

  refuseEpoch(epoch: number): Failure | undefined {
    if (this.#over) return failure('TOKEN_EXPIRED', 'The operation is over.');
    return epoch === this.window.epoch
      ? undefined
      : failure('TOKEN_EXPIRED', `The token is of boot ${epoch}; the node was booted again since.`);
  }

  lookup(input: unknown): { heard: boolean } {
    if (parseAgentLookup(input).ok) this.#lookedUp = true;
    return { heard: this.agent !== null };
  }

  refuseHeartbeat(heartbeat: AgentHeartbeat): Failure | undefined {
    const stale = this.refuseEpoch(heartbeat.epoch);
    if (stale || this.agent === null) return stale;
    const same =
      heartbeat.callbackUrl === this.agent.callbackUrl && heartbeat.certificate === this.agent.certificate;
    return same
      ? undefined
      : failure('AGENT_CHANGED', 'The agent came back with another address or certificate than before.');
  }

  heartbeat(input: unknown): void {
    const parsed = parseAgentHeartbeat(input);
    if (!parsed.ok) return;
    const { callbackUrl, certificate, version } = parsed.value;
    this.#lookedUp = true;
    this.agent = { callbackUrl, certificate, version };
  }

  refuseFirstBoot(): Failure | undefined {
    return this.#firstBootOpen
      ? undefined
      : failure('TOKEN_EXPIRED', 'The operation does not wait for a first boot now.');
  }

  reportFirstBoot(input: unknown): void {
    const parsed = parseFirstBoot(input);
    if (parsed.ok && this.#firstBootOpen && this.firstBoot === null) this.firstBoot = parsed.value;
  }
}
