import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EMAIL_REFUSALS } from '@postern/contracts';
import { renderMarkdown } from './markdown.js';
import { PAGES } from './navigation.js';
import { outlineHtml } from './page-template.js';
import { entriesOf } from './search-index.js';

const DOCS = join(import.meta.dirname, '../../../docs');
const markdownPages = PAGES.flatMap(page => ('markdown' in page.source ? [{ page, file: page.source.markdown }] : []));
const render = (markdown: string) => renderMarkdown(markdown, 'email/sending.md', path => `/docs/${path}`);

describe('every page', () => {
  it.each(markdownPages.map(({ file }) => file))('%s has a title, and links that lead somewhere', file => {
    const markdown = readFileSync(join(DOCS, file), 'utf8');
    expect(markdown).toMatch(/^# \S/);
    for (const [, target = ''] of markdown.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^([a-z]+:|\/)/.test(target)) continue;
      const [path, fragment] = target.split('#');
      const linked = path ? join(dirname(join(DOCS, file)), path) : join(DOCS, file);
      expect([target, existsSync(linked)]).toEqual([target, true]);
      if (!fragment || !linked.endsWith('.md')) continue;
      const { headings } = renderMarkdown(readFileSync(linked, 'utf8'), file, () => '');
      expect(headings.map(({ id }) => id)).toContain(fragment);
    }
  });

  it('has a URL of its own', () => expect(new Set(PAGES.map(({ path }) => path)).size).toBe(PAGES.length));
});

describe('the page of errors', () => {
  const page = readFileSync(join(DOCS, 'email/errors.md'), 'utf8');

  it.each(Object.entries(EMAIL_REFUSALS))('describes %s', (code, status) =>
    expect(page).toMatch(new RegExp(`^\\| ${status} +\\| \`${code}\``, 'm')),
  );
});

describe('Markdown', () => {
  it('becomes HTML with an anchor at every heading below the first', () => {
    const { html, headings } = render('# Title\n\n## Send a *message*\n\n## Send a message\n');
    expect(html).toContain('<h1>Title</h1>');
    expect(html).toContain('<h2 id="send-a-message">Send a <em>message</em>');
    expect(headings.map(({ id }) => id)).toEqual(['title', 'send-a-message', 'send-a-message-1']);
  });

  it('links to pages of the site, and keeps other links', () => {
    expect(render('[a](events.md#opened)').html).toContain('href="/docs/email/events.md#opened"');
    expect(render('[a](https://example.com/?a=1&b=2)').html).toContain('href="https://example.com/?a=1&amp;b=2"');
  });

  it('does not link to files that only the repository has', () =>
    expect(renderMarkdown('[why](../decisions/0001.md)', 'a.md', () => undefined).html).toContain('<span title='));

  it('escapes code, whether or not its language is known', () => {
    expect(render('```html\n<script>\n```').html).not.toContain('<script>');
    expect(render('```unknown\n<script>\n```').html).toContain('&lt;script&gt;');
  });

  it('has an outline where a page has several sections', () => {
    expect(outlineHtml(render('## One'))).toBe('');
    expect(outlineHtml(render('## One\n\n## Two'))).toContain('<a href="#two">Two</a>');
  });
});

describe('the search', () => {
  it('finds each section by its heading and its text, without markup', () => {
    const { html } = render('# Sending\n\nIntro.\n\n## Fields & values\n\nUse `from`.\n');
    const [page] = PAGES;
    if (!page) throw new Error('no pages');
    expect(entriesOf(page, html).map(({ url, heading, text }) => [url, heading, text])).toEqual([
      ['/docs', '', 'Intro.'],
      ['/docs#fields-values', 'Fields & values', 'Use from .'],
    ]);
  });
});
