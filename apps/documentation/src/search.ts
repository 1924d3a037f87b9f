import { MAINTAINED } from './navigation.js';

/** Files of pages by the path that a search result has: `/docs/email/sending#tags` is of `email/sending.md`. */
const fileOf = (id: string): string => `${id.replace(/^\/docs\/|#.*$/g, '') || 'index'}.md`;

/** Half the rank for pages of operators and maintainers: most readers use Postern, and few operate it. */
const boostDocument = (id: string): number => (MAINTAINED.has(fileOf(id)) ? 0.5 : 1);

/**
 * Options of MiniSearch. A word that begins with the searched one counts more than one that is similar to it, so that `attachment` finds
 * attachments before attached databases; short words are not similar to anything.
 */
export const SEARCH_OPTIONS = {
  prefix: true,
  fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  weights: { prefix: 0.6, fuzzy: 0.1 },
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument,
};
