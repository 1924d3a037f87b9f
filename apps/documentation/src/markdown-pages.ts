import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES, SECTIONS } from './navigation.js';

const BASE = '/docs';

/** Writes every page as Markdown beside its HTML, and `llms.txt`, the list of the pages for programs that read them. */
export const writeMarkdown = (docs: string, site: string): void => {
  for (const { file } of PAGES) {
    const target = join(site, file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(docs, file), target);
  }
  cpSync(join(docs, 'postern.schema.json'), join(site, 'postern.schema.json'));
  writeFileSync(
    join(site, 'llms.txt'),
    llmsText(file => readFileSync(join(docs, file), 'utf8')),
  );
};

/** The pages with their first sentence, in the format of llmstxt.org. */
export const llmsText = (read: (file: string) => string): string => {
  const sections = SECTIONS.map(({ title, pages }) => {
    const links = pages.map(page => `- [${page.title}](${BASE}/${page.file}): ${firstSentenceOf(read(page.file))}`);
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  return [
    '# Postern\n',
    '> Send transactional email and run web services. Every page of the documentation is Markdown under its address with `.md`.\n',
    '- [OpenAPI document of the email and platform APIs](/openapi.json)',
    '- [OpenAPI document of the dashboard API](/dashboard/api/openapi.json)\n',
    ...sections,
  ].join('\n');
};

/** Of the first paragraph, without its marks; a page may begin with a table or a list. */
export const firstSentenceOf = (markdown: string): string => {
  const paragraph = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .split(/\n\s*\n/)
    .find(part => /^(?!```)[A-Za-z`*[]/.test(part.trim()));
  const text = (paragraph ?? '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
};
