import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MarkdownRenderer } from 'vitepress';
import { FILES, MAINTAINED } from './navigation.js';

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url));

/** The anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');

/**
 * The link of a page to another file; undefined for a file of the repository that the site does not have, which only pages
 * for operators and maintainers may name. @throws for a link that leads nowhere, so that the build fails.
 */
export const linkFrom = (page: string, href: string): string | undefined => {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', fragment] = href.split('#');
  const file = posix.join(posix.dirname(page), path);
  if (!FILES.has(file)) {
    // The build of an image has only the files that it needs; tools/checks tests the links to others.
    if (!file.startsWith('../') && !existsSync(posix.join(DOCS, file)))
      throw new Error(`docs/${page} has a link to ${href}, which does not exist`);
    if (!MAINTAINED.has(page)) throw new Error(`docs/${page} has a link to ${href}, which is no page of the site`);
    return undefined;
  }
  return fragment ? `/${file}#${fragment}` : `/${file}`;
};

/**
 * Links to pages become absolute, because /docs has no slash at its end; links to other files become plain text. Braces in
 * code are shown, and not evaluated by Vue.
 */
export const withLinksOfTheSite = (markdown: MarkdownRenderer): void => {
  markdown.core.ruler.push('links-of-the-site', ({ tokens, env }) => {
    const open: string[] = [];
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open') {
        const href = token.attrGet('href') ?? '';
        const link = linkFrom(env.relativePath, href);
        if (link) token.attrSet('href', link);
        else Object.assign(token, { tag: 'span', type: 'span_open', attrs: [['title', `In the repository: ${href}`]] });
        open.push(token.tag);
      } else if (token.type === 'link_close') token.tag = open.pop() ?? 'a';
      else if (token.type === 'code_inline') token.attrSet('v-pre', '');
    }
  });
};
