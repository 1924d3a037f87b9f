import { z } from 'zod';

/** Shapes that several services share. */
export const id = z.uuid();
export const timestamp = z.iso.datetime();
export const noContent = z.object({});

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.int().nonnegative(), limit: z.int(), offset: z.int().nonnegative() });

/** The offset that HTTP accepts. */
export const pageOffset = z.int().min(0).max(1_000_000_000).default(0);

export const pageRequest = z.object({
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
