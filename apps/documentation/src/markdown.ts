import { dirname, posix } from 'node:path';
import hljs from 'highlight.js/lib/common';
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from './html.js';

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** URL of the page that is made of a Markdown file. @returns undefined if the site does not have it. */
export type LinkResolver = (markdownPath: string) => string | undefined;

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');

/** The first word of an info string is the language; other words define how tests run the example. */
const languageOf = (info: string | undefined): string => info?.split(/\s/, 1)[0] ?? '';

/**
 * HTML of a Markdown file, with an anchor at every heading and colored code.
 * @param file its path below the docs folder, to which its links are relative
 */
export const renderMarkdown = (markdown: string, file: string, pathOf: LinkResolver): RenderedMarkdown => {
  const headings: Heading[] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const text = tokens.map(token => ('text' in token ? String(token.text) : '')).join('');
        const id = uniqueId(slugOf(text), headings);
        headings.push({ level: depth, id, text });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(text)}">#</a></h${depth}>\n`;
      },
      code({ text, lang }: Tokens.Code) {
        return codeBlock(text, languageOf(lang));
      },
      link({ href, title, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = resolveLink(href, file, pathOf);
        if (target === undefined) return `<span title="In the repository: ${escapeHtml(href)}">${inner}</span>`;
        return `<a href="${escapeHtml(target)}"${title ? ` title="${escapeHtml(title)}"` : ''}>${inner}</a>`;
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${row.map(cell => cellOf(this.parser.parseInline(cell.tokens), tag)).join('')}</tr>`;
        const body = token.rows.map(row => cells(row, 'td')).join('');
        return `<div class="table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
};

const uniqueId = (slug: string, headings: readonly Heading[]): string => {
  const taken = new Set(headings.map(({ id }) => id));
  for (let count = 0; ; count += 1) {
    const id = count === 0 ? slug : `${slug}-${count}`;
    if (!taken.has(id)) return id;
  }
};

const codeBlock = (code: string, language: string): string => {
  const html = hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code);
  return `<div class="code"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${html}</code></pre></div>\n`;
};

/** A corner without text is no header. */
const cellOf = (text: string, tag: 'th' | 'td'): string => {
  const element = text === '' ? 'td' : tag;
  return `<${element}>${text}</${element}>`;
};

/** @returns undefined for a file of the repository that the site does not have */
const resolveLink = (href: string, file: string, pathOf: LinkResolver): string | undefined => {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const target = posix.normalize(posix.join(dirname(file), path));
  const page = pathOf(target);
  return page && fragment ? `${page}#${fragment}` : page;
};
