/** What the store needs to know of a record. The generation counts its writes, from 1. */
export interface Generational {
  readonly site: string;
  readonly node: string;
  readonly generation: number;
}

/** Where node records live outside Temporal. Every write is a compare-and-set on the generation. */
export interface RecordStore<R extends Generational> {
  /** The newest record of a node; undefined if it has none. */
  read(site: string, node: string): Promise<R | undefined>;
  /**
   * Stores a record whose generation is `expectedGeneration + 1`, if the newest one stored is
   * `expectedGeneration` (0: none is stored yet).
   *
   * @returns `conflict` if another record has that place. A repeated write of the very same record
   * is `written`: its first answer may have been lost.
   */
  write(record: R, expectedGeneration: number): Promise<'written' | 'conflict'>;
  /** The newest record of every node of a site, by name. */
  list(site: string): Promise<R[]>;
}
