import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EMAIL_REFUSALS } from '@postern/contracts';
import { withExternalScripts } from './external-scripts.js';
import { anchorOf, linkFrom } from './markdown.js';
import { firstSentenceOf, llmsText } from './markdown-pages.js';
import { FILES, PAGES } from './navigation.js';

const DOCS = join(import.meta.dirname, '../../../docs');
const read = (file: string) => readFileSync(join(DOCS, file), 'utf8');
const anchorsIn = (markdown: string) =>
  [...markdown.matchAll(/^##+ +(.*)$/gm)].map(([, heading = '']) => anchorOf(heading.replaceAll('`', '')));

describe('every page', () => {
  it.each([...FILES])('%s has a title, and its links lead to headings of the site', file => {
    expect(read(file)).toMatch(/^# \S/);
    for (const [, target = ''] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', fragment] = linkFrom(file, target)?.split('#') ?? [];
      if (fragment && !path.includes(':'))
        expect([target, anchorsIn(read(path || file)).includes(fragment)]).toEqual([target, true]);
    }
  });

  it('has one place in the navigation', () => expect(FILES.size).toBe(PAGES.length));
});

describe('the page of errors', () => {
  it.each(Object.entries(EMAIL_REFUSALS))('describes %s', (code, status) =>
    expect(read('email/errors.md')).toMatch(new RegExp(`^\\| ${status} +\\| \`${code}\``, 'm')),
  );
});

describe('a link', () => {
  it.each([
    ['events.md#opened', '/email/events.md#opened'],
    ['../security.md', '/security.md'],
    ['#fields', '#fields'],
    ['https://example.com/?a=1&b=2', 'https://example.com/?a=1&b=2'],
  ])('to %s leads to %s', (href, link) => expect(linkFrom('email/sending.md', href)).toBe(link));

  it('to a file of the repository is text on pages for operators, and fails the build on all others', () => {
    expect(linkFrom('operations.md', '../README.md')).toBeUndefined();
    expect(linkFrom('operations.md', '../not-in-the-build-of-an-image.md')).toBeUndefined();
    expect(() => linkFrom('email/sending.md', '../../README.md')).toThrow('which is no page of the site');
  });

  it('to nothing fails the build', () =>
    expect(() => linkFrom('operations.md', 'nowhere.md')).toThrow('which does not exist'));
});

describe('the pages for programs', () => {
  const text = llmsText(read);

  it.each([...PAGES])('name $file with what it is about', ({ file, title }) =>
    expect(text).toMatch(
      new RegExp(`^- \\[${title.replace(/[()]/g, '\\$&')}\\]\\(/docs/${file.replaceAll('.', '\\.')}\\): \\S`, 'm'),
    ),
  );

  it('begin with the first sentence of a page', () => {
    expect(firstSentenceOf('# Title\n\nA [webhook](x.md) gets\nevents. More.\n')).toBe('A webhook gets events.');
    expect(firstSentenceOf('# Title\n\n| a | b |\n\nOnly this')).toBe('Only this');
  });
});

it('an anchor has the words of its heading', () => {
  expect(anchorOf('Fields & values')).toBe('fields-values');
  expect(anchorOf('`POST /emails` (1)')).toBe('post-emails-1');
});

it('a page has no inline script, as the Content-Security-Policy demands', () => {
  const site = mkdtempSync(join(tmpdir(), 'postern-site-'));
  const html = withExternalScripts('<script id="a">run(1)</script><script src="x.js"></script>', '/docs/', site);
  const [, path = ''] = /^<script id="a" src="\/docs\/(assets\/\w+\.js)"><\/script>/.exec(html) ?? [];
  expect(readFileSync(join(site, path), 'utf8')).toBe('run(1)');
  expect(html).toContain('<script src="x.js"></script>');
  rmSync(site, { recursive: true });
});
