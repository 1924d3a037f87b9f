import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import MiniSearch, { type SearchResult } from 'minisearch';
import { FIRST_QUESTIONS } from './first-questions.js';
import { FILES } from './navigation.js';
import { SEARCH_OPTIONS } from './search.js';

const CHUNKS = join(import.meta.dirname, '../dist/site/assets/chunks');

/** The index that the site loads when a reader opens the search. */
const loadIndex = async () => {
  const file = readdirSync(CHUNKS).find(name => /^@localSearchIndexroot\..*\.js$/.test(name)) ?? 'no index';
  const { default: json } = (await import(join(CHUNKS, file))) as { readonly default: string };
  return MiniSearch.loadJSON(json, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });
};

const pageOf = ({ id }: SearchResult): string => String(id).replace(/^\/docs\/|#.*$/g, '') || 'index';

const index = await loadIndex();

/** The pages that the search shows first, each once. */
const firstPages = (words: string): readonly string[] =>
  [...new Set(index.search(words, SEARCH_OPTIONS).map(pageOf))].slice(0, 3);

describe('the search of the documentation', () => {
  describe.each(FIRST_QUESTIONS)('answers: $question', ({ answers }) => {
    it.each(Object.entries(answers))('"%s" has one of its first three pages in %s', (words, page) => {
      expect(FILES).toContain(`${page}.md`);
      expect(firstPages(words)).toContain(page);
    });
  });

  it('ranks pages for users above pages for operators', () =>
    expect(firstPages('audit log').slice(0, 2)).toEqual(['account', 'operations']));
});
