import { z } from 'zod';

/** Parts of paths and query strings, which arrive as text. */
export const id = z.uuid();

export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  offset: z.coerce.number().int().min(0).default(0),
});

/** No query parameter at all; an unknown one is a typing mistake worth naming. */
export const noQuery = z.strictObject({});
