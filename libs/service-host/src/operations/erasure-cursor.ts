import { z } from 'zod';

const position = z.object({ txid: z.string().regex(/^\d+$/), pos: z.string().regex(/^\d+$/) });

const cursor = z.object({
  /** A cursor of another release starts again. */
  phase: z.enum(['events', 'rows', 'read-models', 'readers']).catch('events'),
  /** Position in the log: the start of the next page, or the position that all consumers have to reach. */
  position: position.optional(),
  /** The start of the next batch of rows. */
  row: z.string().optional(),
  /** Rows of this pass that are still in use. */
  unfinished: z.int(),
  /** Rows erased before the last vacuum. */
  freed: z.int(),
});

/** The progress of one pass of an erasure in a service. Does not identify the person. */
export type ErasureCursor = z.output<typeof cursor>;

export const BEGIN: ErasureCursor = { phase: 'events', unfinished: 0, freed: 0 };

export const writeCursor = (at: ErasureCursor): string => JSON.stringify(at);

/** @throws if the text was not written by `writeCursor`. */
export const readCursor = (text: string): ErasureCursor => cursor.parse(JSON.parse(text));
