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
  /** The list has more items than `total`. */
  readonly total_capped?: true | undefined;
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

/** What a list of all workspaces is searched for; empty for everything. */
export const searchText = z.string().trim().max(320).default('');

/** A long list counts its items up to this number. */
export const COUNTED_ITEMS = 1_000;

/** A filter without an index of its own examines at most this many items, newest first. */
export const EXAMINED_ITEMS = 10_000;

/** The largest offset of a long list; cursors read further. */
export const MAX_OFFSET = 10_000;

/** The offset that HTTP accepts for a long list. */
export const longOffset = z
  .int()
  .min(0)
  .max(MAX_OFFSET, `must be at most ${MAX_OFFSET}; to read further, pass the id of the last item as \`after\``)
  .default(0);

/** The cursors of a long list, which are ids of its items. */
export const pageCursors = {
  after: id
    .optional()
    .describe(
      'Returns the items that follow this one in the list. Pass the id of the last item to read the next page.',
    ),
  before: id
    .optional()
    .describe('Returns the items just before this one. Pass the id of the first item to read the previous page.'),
};

/** One page of a list that can be too long to count. */
export const longPage = <Item extends z.ZodType>(item: Item) =>
  page(item).extend({
    total_capped: z
      .literal(true)
      .optional()
      .describe(
        `Present if the list has more items than \`total\`, because no more than ${COUNTED_ITEMS} are counted.`,
      ),
  });

/** The refusals of a long list. */
export const LONG_LIST_REFUSALS = { invalid_input: 400, query_too_broad: 400 } as const;
