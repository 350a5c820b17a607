import { z } from 'zod';
import { parseAddress } from '../../core/addresses.ts';
import { parseDuration } from '../../core/duration.ts';
import { NAME_PATTERN } from '../../core/names.ts';
import { hasDay, isCron } from './cron.ts';
import { RULES } from './rules.ts';

/** A name of a site, node, image, type, network, …: a DNS label, dots allowed. */
export const Name = z.string().regex(NAME_PATTERN, RULES.name.message);

/** Where a secret is kept. `blob:` is for inputs of requests and never stands in an inventory. */
export const SECRET_REF_PATTERN = /^(env:[A-Za-z_][A-Za-z0-9_]*|file:[^\0\r\n]+|exec:[^\0\r\n]+)$/;

/** A reference to a secret. The message never holds the value: it may be the secret. */
export const SecretRef = z.string(RULES.secret.message).regex(SECRET_REF_PATTERN, RULES.secret.message);

/** Whether a string of an inventory is a reference to a secret. */
export const isSecretRef = (value: unknown): value is string =>
  typeof value === 'string' && SECRET_REF_PATTERN.test(value);

/** Seconds; written as `90s`, `15m`, `2h30m`, `3d`, or a number of seconds. */
export const Duration = z
  .union([z.string(), z.number()], RULES.duration.message)
  .transform((value, context) => {
    const seconds = parseDuration(value);
    if (seconds !== undefined) return seconds;
    context.addIssue({ code: 'custom', message: RULES.duration.message });
    return z.NEVER;
  });

const parsed = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/** Whether a URL carries credentials; text that is no URL carries none. */
export const withoutUserinfo = (text: string): boolean => {
  const url = parsed(text);
  return url === undefined || (url.username === '' && url.password === '');
};

/** An http(s) URL without credentials. `host:8000` parses as a URL too, hence the protocol. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, error: RULES.httpUrl.message })
  .refine(withoutUserinfo, RULES.userinfo.message);

/** Whether a URL is no more than an address. */
export const withoutQuery = (text: string): boolean => !/[?#]/.test(text);

/** A URL that is tried from elsewhere, and told of: it holds nothing that not everybody may see. */
export const PlainUrl = HttpUrl.refine(withoutQuery, RULES.plainUrl.message);

/** A path of a file; relative ones start at the inventory's folder. */
export const FilePath = z.string().regex(/^[^\0\r\n]+$/, RULES.path.message);

/** `sha256:` and 64 hexadecimal digits, kept in lower case. */
export const Sha256 = z
  .string()
  .regex(/^sha256:[0-9a-fA-F]{64}$/, RULES.sha256.message)
  .toLowerCase();

/** A MAC address, kept in lower case with colons. */
export const Mac = z
  .string()
  .regex(/^([0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(\2[0-9a-fA-F]{2}){4})$/, RULES.mac.message)
  .transform((mac) => mac.toLowerCase().replaceAll('-', ':'));

/** A network such as 10.1.0.0/24 or fd00::/64. */
export const Cidr = z.union([z.cidrv4(), z.cidrv6()], RULES.cidr.message);

/** An IPv4 or IPv6 address, without prefix length and zone. */
export const IpAddress = z
  .string(RULES.address.message)
  .refine((text) => parseAddress(text) !== undefined, RULES.address.message);

/** Free text that may be written as a number, such as a switch port or a rack. */
export const Label = z.union([z.string().min(1).max(255), z.int()]).transform(String);

/** One short line for people. */
export const Text = z.string().min(1).max(1024);

const isTimeZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
};

/** IANA name of a time zone. */
export const TimeZone = z.string().refine(isTimeZone, RULES.timeZone.message);

/** Five cron fields that come true. */
export const Cron = z
  .string()
  .refine(isCron, { error: RULES.cron.message, abort: true })
  .refine(hasDay, RULES.cronDay.message);

/** A gate of acceptance by its number. */
export const Gate = z.int().min(1).max(7);

export const Architecture = z.enum(['x86_64', 'aarch64']);
export const BootMode = z.enum(['uefi', 'bios']);
