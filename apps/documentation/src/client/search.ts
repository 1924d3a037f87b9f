import MiniSearch from 'minisearch';
import type { SearchEntry } from '../search-index.js';
import { byId, element } from './element.js';

const MAX_RESULTS = 8;
const input = byId('search') as HTMLInputElement;
const results = byId('results');

let loading: Promise<{ search: MiniSearch<SearchEntry>; entries: readonly SearchEntry[] }> | undefined;
const index = () => (loading ??= load());

const load = async () => {
  const answer = await fetch('/docs/search.json');
  const entries = (await answer.json()) as readonly SearchEntry[];
  const search = new MiniSearch<SearchEntry>({ fields: ['page', 'heading', 'text'] });
  search.addAll(entries);
  return { search, entries };
};

let selected = -1;

const show = (found: readonly SearchEntry[]): void => {
  selected = -1;
  results.replaceChildren(
    ...found.map(({ url, page, heading, text }, at) =>
      element(
        'li',
        { role: 'option', id: `result-${at}`, 'aria-selected': 'false' },
        element(
          'a',
          { href: url, tabindex: '-1' },
          element('strong', {}, heading ? `${page}: ${heading}` : page),
          element('span', {}, text.slice(0, 90)),
        ),
      ),
    ),
  );
  if (found.length === 0 && input.value.trim()) results.append(element('li', { role: 'option' }, 'No results'));
  results.hidden = input.value.trim() === '';
  input.setAttribute('aria-expanded', String(!results.hidden));
};

const select = (step: number): void => {
  const options = [...results.querySelectorAll('li')];
  if (options.length === 0) return;
  selected = (selected + step + options.length) % options.length;
  for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === selected));
  input.setAttribute('aria-activedescendant', `result-${selected}`);
};

input.addEventListener('focus', () => void index());
input.addEventListener('input', async () => {
  const { search, entries } = await index();
  const found = search.search(input.value, {
    prefix: true,
    fuzzy: 0.2,
    boost: { page: 3, heading: 2 },
    combineWith: 'AND',
  });
  show(found.slice(0, MAX_RESULTS).flatMap(({ id }) => entries[id as number] ?? []));
});
input.addEventListener('keydown', event => {
  if (event.key === 'ArrowDown') select(1);
  else if (event.key === 'ArrowUp') select(-1);
  else if (event.key === 'Escape') input.value = '';
  else if (event.key === 'Enter') results.querySelectorAll('a')[Math.max(0, selected)]?.click();
  else return;
  event.preventDefault();
  if (event.key === 'Escape') show([]);
});
document.addEventListener('keydown', event => {
  const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
  if (event.key !== '/' || typing) return;
  event.preventDefault();
  input.focus();
});
