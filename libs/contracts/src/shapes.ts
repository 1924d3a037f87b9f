import { z } from 'zod';

/** Shapes that several services share. */
export const id = z.uuid();
export const timestamp = z.iso.datetime();
export const noContent = z.object({});

/** Line breaks, control characters, lone surrogates, and characters that reverse the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** The name of a resource, which logs, mails and terminals show in one line. */
export const resourceName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100)
  .refine(name => !UNPRINTABLE.test(name), 'must not contain line breaks or control characters');

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).describe('The items of this page.'),
    total: z.int().nonnegative().describe('Number of items on all pages.'),
    limit: z.int().describe('Maximum number of items on a page.'),
    offset: z.int().nonnegative().describe('Number of items before this page.'),
  });

/** The offset that HTTP accepts. */
export const pageOffset = z.int().min(0).max(1_000_000_000).default(0);

export const pageRequest = z.object({
  limit: z.int().min(1).max(100).default(20),
  offset: z.int().min(0).default(0),
});
