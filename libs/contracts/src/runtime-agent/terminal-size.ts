import { z } from 'zod';

/** The size of a terminal in characters. */
export const terminalSize = z.object({
  columns: z.int().min(1).max(1_000).describe('Width in characters.'),
  rows: z.int().min(1).max(1_000).describe('Height in characters.'),
});
