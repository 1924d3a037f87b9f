import { type ListQuery, PAGE_SIZES, readListQuery, writeListQuery } from './list-query.js';
import { setSearch, useSearch } from './router.js';

export interface ListState extends ListQuery {
  readonly setOffset: (offset: number) => void;
  /** Keeps the first entry of the page in view. */
  readonly setLimit: (limit: number) => void;
  /** Shows the first page with these filters. */
  readonly setFilter: (filter: Readonly<Record<string, string>>) => void;
}

/** The state of a list in the URL, so that Back, reloading and sharing the URL keep it. */
export const useListState = (filters: readonly string[] = [], defaultSize: number = PAGE_SIZES[0]): ListState => {
  const search = useSearch();
  const state = readListQuery(search, filters, defaultSize);
  const write = (changes: Partial<ListQuery>) =>
    setSearch(writeListQuery(location.search, { ...state, ...changes }, defaultSize));
  return {
    ...state,
    setOffset: offset => write({ offset }),
    setLimit: limit => write({ limit, offset: Math.floor(state.offset / limit) * limit }),
    setFilter: filter => write({ filter: { ...state.filter, ...filter }, offset: 0 }),
  };
};
