import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { fail } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { parseVerb } from '../../core/messages.ts';
import { newId } from '../sdk/ids.ts';
import type { Verb } from '../../core/verbs.ts';

/** Values of a command's options; commander names them in camel case. */
export interface VerbOptions {
  readonly [name: string]: unknown;
}

interface VerbCommand {
  readonly summary: string;
  /** A positional argument after the node, with the field that it fills. */
  readonly argument?: { readonly name: string; readonly field: string };
  readonly options: readonly Option[];
}

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
const option = (flags: string, text: string): Option => new Option(flags, text);
const list = (flags: string, text: string): Option => new Option(flags, text).argParser(collect);

const IMAGE = option('--image <name>', 'image of the contract');
const SSH_KEY = list('--ssh-key <key>', 'public SSH key, or a file with one; may be repeated');
const OWNER = option('--owner <name>', 'who gets the node');

/** How each verb looks on the command line. What its values must be is decided by the parser in core. */
export const VERB_COMMANDS: { readonly [V in Verb]: VerbCommand } = {
  enroll: { summary: 'verify the credentials and inspect', options: [] },
  inspect: {
    summary: 'read the hardware again, and compare it',
    options: [option('--accept', 'what is seen is what later inspections are compared with')],
  },
  clean: {
    summary: 'erase the disks and make available',
    options: [option('--erase <how>', 'metadata or full')],
  },
  deploy: {
    summary: 'write an image and hand the node over',
    options: [
      IMAGE,
      OWNER,
      option('--user-data <file>', 'cloud-init user data; kept encrypted and sent as a reference'),
      SSH_KEY,
      option('--hostname <name>', 'host name of the guest'),
    ],
  },
  reimage: {
    summary: 'write an image again, for the same owner',
    options: [IMAGE, option('--keep-data', 'leave the data disks alone')],
  },
  release: { summary: 'take the node back and erase it', options: [] },
  service: {
    summary: 'bring firmware and BIOS settings to what the contract says',
    options: [
      list('--step <step>', 'firmware, firmware=BASELINE or bios; may be repeated'),
      list(
        '--bios <name=value>',
        'a BIOS attribute to set instead of those of the contract; may be repeated',
      ),
    ],
  },
  rescue: { summary: 'boot a rescue system (not built yet)', options: [SSH_KEY] },
  unrescue: { summary: "boot the node's own system again (not built yet)", options: [] },
  power: {
    summary: 'switch power',
    argument: { name: 'state', field: 'state' },
    options: [option('--state <state>', 'on, off or reboot')],
  },
  maintenance: {
    summary: 'set or clear the maintenance flag',
    argument: { name: 'on|off', field: 'on' },
    options: [option('--on', 'set the flag'), option('--off', 'clear the flag')],
  },
  quarantine: { summary: 'keep the node from being given to anyone', options: [] },
  unquarantine: { summary: 'end the quarantine', options: [] },
  adopt: { summary: 'take over a running server as it is', options: [OWNER, IMAGE] },
  decommission: { summary: 'erase, power off, take out of service', options: [] },
  resume: {
    summary: 'go on with the operation that is held',
    options: [option('--from <step>', 'begin at an earlier step')],
  },
  abort: { summary: 'end the operation and make the node safe', options: [] },
};

/** Adds a verb's own options and argument to a command. */
export function withVerbOptions(command: Command, verb: Verb): Command {
  const { argument, options } = VERB_COMMANDS[verb];
  if (argument) command.argument(`[${argument.name}]`);
  for (const each of options) command.addOption(each);
  return command;
}

/** Adds the options that every verb has. */
export const withCommonOptions = (command: Command): Command =>
  command
    .option('--request-id <id>', 'repeat a request with its id and it is not done twice')
    .option('--reason <text>', 'why, for the record')
    .option('--on-failure <what>', 'hold or fail (default: hold)')
    .option('--deadline <duration>', 'such as 90m or 2h');

/** The message of a verb from the command line. Throws INVALID_MESSAGE as the node would. */
export function messageOf(verb: Verb, positional: string | undefined, options: VerbOptions): JsonObject {
  const message: JsonObject = { requestId: newId() };
  const put = (field: string, value: unknown): void => {
    if (value !== undefined) message[field] = value as JsonObject[string];
  };
  put('requestId', options['requestId']);
  for (const field of ['reason', 'onFailure', 'deadline'] as const) put(field, options[field]);
  for (const field of [
    'image',
    'owner',
    'hostname',
    'erase',
    'keepData',
    'accept',
    'state',
    'from',
  ] as const) {
    put(field, options[field]);
  }
  if (verb === 'service') put('steps', serviceSteps(options));
  put('sshKeys', (options['sshKey'] as string[] | undefined)?.map(sshKey));
  const { argument } = VERB_COMMANDS[verb];
  if (verb === 'maintenance') put('on', onOrOff(positional, options));
  else if (argument) put(argument.field, positional);
  check(verb, message);
  return message;
}

/** Throws INVALID_MESSAGE if a node would refuse the message for its shape. */
export function check(verb: Verb, message: JsonObject): void {
  const parsed = parseVerb(verb, message, newId);
  if (!parsed.ok) throw fail('INVALID_MESSAGE', parsed.failure.message, parsed.failure);
}

function onOrOff(positional: string | undefined, options: VerbOptions): unknown {
  if (options['off'] === true) return false;
  if (options['on'] === true) return true;
  return positional === 'on' ? true : positional === 'off' ? false : positional;
}

/** The entries of `steps`: what `--step` names, and the settings of `--bios`. */
function serviceSteps(options: VerbOptions): JsonObject[string][] {
  const steps = (options['step'] as string[] | undefined) ?? [];
  const settings = (options['bios'] as string[] | undefined)?.map((given) => {
    const at = given.indexOf('=');
    if (at > 0) return [given.slice(0, at), biosValue(given.slice(at + 1))] as const;
    throw fail('INVALID_MESSAGE', `bios: ${given} is not NAME=VALUE, such as LogicalProc=Disabled.`);
  });
  const named = settings === undefined ? steps : steps.filter((each) => each !== 'bios');
  return [
    ...named.map((each) =>
      each.startsWith('firmware=') ? { step: 'firmware', baseline: each.slice('firmware='.length) } : each,
    ),
    ...(settings === undefined ? [] : [{ step: 'bios', settings: Object.fromEntries(settings) }]),
  ];
}

/** Numbers, and true and false, are themselves. The rest is text: what is in quotes, and what a number would not keep, as 0042. */
function biosValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return /^"(.*)"$/.exec(text)?.[1] ?? text;
}

function sshKey(given: string): string {
  if (/^(ssh-|ecdsa-|sk-)/.test(given)) return given;
  try {
    return readFileSync(given, 'utf8').trim();
  } catch {
    throw fail('INVALID_MESSAGE', `ssh-key: ${given} is neither a public SSH key nor a file with one.`);
  }
}
