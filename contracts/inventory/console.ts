import { z } from 'zod';
import { Credentials } from './bmc.ts';
import { FilePath, HttpUrl } from './primitives.ts';
import { RULES } from './rules.ts';

/** Where the log of a server's serial console is kept. Its end is evidence of every failure. */
export const Console = z
  .strictObject({
    /** A file, as every worker of the site sees it. */
    file: FilePath.optional(),
    /** The log itself, behind a web server. */
    url: HttpUrl.optional(),
    /** For `url`, by Basic authentication. */
    credentials: Credentials.optional(),
  })
  .refine(
    ({ file, url, credentials }) =>
      (file === undefined) !== (url === undefined) && (credentials === undefined || url !== undefined),
    RULES.console.message,
  );
export type Console = z.output<typeof Console>;
