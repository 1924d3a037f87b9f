/** The sizes of a page of a list; the first is the default. */
export const PAGE_SIZES = [20, 50, 100] as const;

/** The state of a list: its page and its filters, by their names. */
export interface ListQuery {
  readonly offset: number;
  readonly limit: number;
  readonly filter: Readonly<Record<string, string>>;
}

/** Reads the state of a list from the query of a URL; invalid values count as absent. */
export const readListQuery = (search: string, filters: readonly string[], defaultSize: number): ListQuery => {
  const query = new URLSearchParams(search);
  const size = Number(query.get('size'));
  const limit = PAGE_SIZES.some(known => known === size) ? size : defaultSize;
  const page = Number(query.get('page'));
  const offset = Number.isSafeInteger(page) && page > 1 && page < 1_000_000 ? (page - 1) * limit : 0;
  const filter = Object.fromEntries(filters.map(name => [name, (query.get(name) ?? '').slice(0, 320)]));
  return { offset, limit, filter };
};

/** The query of a URL with the state of a list; other parameters are kept, and defaults are omitted. */
export const writeListQuery = (search: string, { offset, limit, filter }: ListQuery, defaultSize: number): string => {
  const query = new URLSearchParams(search);
  const set = (name: string, value: string) => (value === '' ? query.delete(name) : query.set(name, value));
  const page = Math.floor(offset / limit) + 1;
  set('page', page === 1 ? '' : String(page));
  set('size', limit === defaultSize ? '' : String(limit));
  for (const [name, value] of Object.entries(filter)) set(name, value);
  return query.size === 0 ? '' : `?${query}`;
};
