import { escapeHtml } from './html.js';
import type { RenderedMarkdown } from './markdown.js';
import { PAGES, type Page, SECTIONS } from './navigation.js';

/** Where the gateway serves the site. */
export const BASE = '/docs';

/** URL path of a page. */
export const urlOf = ({ path }: Page): string => (path === '' ? BASE : `${BASE}/${path}`);

export interface Assets {
  readonly script: string;
  readonly reference: string;
  readonly style: string;
}

/** A complete HTML document of one page. */
export const pageHtml = (page: Page, content: string, outline: string, assets: Assets): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.path === '' ? 'Postern documentation' : `${page.title} · Postern`)}</title>
<link rel="stylesheet" href="${BASE}/${assets.style}">
<script src="${BASE}/${'openApi' in page.source ? assets.reference : assets.script}" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="name" href="${BASE}">Postern</a>
<search><label class="hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results">
<ul id="results" role="listbox" aria-label="Search results" hidden></ul></search>
<a class="dashboard" href="/dashboard">Dashboard</a>
<button type="button" id="theme" aria-label="Change between light and dark"></button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Documentation">
${navigation(page)}
</nav>
<main id="content">
${content}
${neighbours(page)}
</main>
${outline}
</div>
</body>
</html>
`;

const navigation = (current: Page): string =>
  SECTIONS.map(
    ({ title, pages }) =>
      `<h2>${title}</h2><ul>${pages
        .map(
          page =>
            `<li><a href="${urlOf(page)}"${page === current ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`,
        )
        .join('')}</ul>`,
  ).join('\n');

const neighbours = (current: Page): string => {
  const at = PAGES.indexOf(current);
  const link = (page: Page | undefined, relation: string) =>
    page ? `<a rel="${relation}" href="${urlOf(page)}">${escapeHtml(page.title)}</a>` : '<span></span>';
  return `<footer>${link(PAGES[at - 1], 'prev')}${link(PAGES[at + 1], 'next')}</footer>`;
};

/** Links to the second-level headings of a page; nothing for a page with fewer than two. */
export const outlineHtml = ({ headings }: RenderedMarkdown): string => {
  const sections = headings.filter(({ level }) => level === 2);
  if (sections.length < 2) return '';
  const links = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('');
  return `<aside aria-label="On this page"><h2>On this page</h2><ul>${links}</ul></aside>`;
};
