import { z } from 'zod';

const position = z.object({ txid: z.string().regex(/^\d+$/), pos: z.string().regex(/^\d+$/) });

const cursor = z.object({
  phase: z.enum(['events', 'rows', 'read-models', 'relay', 'stream']),
  /** In the log: where the next page begins, or what the relay has to reach. */
  position: position.optional(),
  /** Where the next part of rows begins. */
  row: z.string().optional(),
  /** Rows of this pass that have to stay for now. */
  unfinished: z.int(),
  /** Rows erased before the tables were vacuumed last. */
  freed: z.int(),
  /** In the stream: the next message, and the last one to be searched. */
  sequence: z.int().optional(),
  last: z.int().optional(),
  /** Since when a consumer has been handling the message at `sequence`, in milliseconds of the epoch. */
  heldSince: z.int().optional(),
});

/** How far one pass of an erasure has come in a service. Nothing in it identifies the person. */
export type ErasureCursor = z.output<typeof cursor>;

export const BEGIN: ErasureCursor = { phase: 'events', unfinished: 0, freed: 0 };

export const writeCursor = (at: ErasureCursor): string => JSON.stringify(at);

/** @throws where the text was not written by `writeCursor`. */
export const readCursor = (text: string): ErasureCursor => cursor.parse(JSON.parse(text));
