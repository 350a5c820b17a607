/** A value that JSON can carry. Everything that enters a Temporal history is one. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** An object of JSON values. */
export type JsonObject = { [key: string]: Json };
