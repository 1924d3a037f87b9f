/** Builds the documentation: Markdown files and the client scripts become the static files that the gateway serves. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { renderMarkdown } from './markdown.js';
import { PAGES, type Page } from './navigation.js';
import { type Assets, outlineHtml, pageHtml, urlOf } from './page-template.js';
import { entriesOf } from './search-index.js';

const APP = join(import.meta.dirname, '..');
const DOCS = join(APP, '../../docs');
const SITE = join(APP, 'dist/site');

const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(SITE, path)), { recursive: true });
  writeFileSync(join(SITE, path), content);
};

/** Writes a file under a name with a hash of its content, so that browsers can keep it for ever. */
const writeAsset = (name: string, content: string): string => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const path = `assets/${name.replace('.', `-${hash}.`)}`;
  write(path, content);
  return path;
};

const bundle = async (name: string): Promise<string> => {
  const [result] = [
    await build({
      root: APP,
      configFile: false,
      logLevel: 'warn',
      build: {
        write: false,
        target: 'es2022',
        lib: { entry: join(APP, `dist/client/${name}.js`), formats: ['es'], fileName: name },
      },
    }),
  ].flat();
  if (!result || !('output' in result)) throw new Error(`${name} was not bundled`);
  const [chunk] = result.output;
  return writeAsset(`${name}.js`, chunk.code);
};

const markdownPages = new Map(
  PAGES.flatMap(page => ('markdown' in page.source ? [[page.source.markdown, page] as const] : [])),
);
const pathOf = (markdownPath: string): string | undefined => {
  const page = markdownPages.get(markdownPath);
  return page && urlOf(page);
};

const contentOf = (page: Page) => {
  if ('openApi' in page.source)
    return {
      html: `<h1>${page.title}</h1><div id="reference" data-document="${page.source.openApi}"><p>Loading…</p><noscript>The reference needs JavaScript. The OpenAPI document is at <a href="${page.source.openApi}">${page.source.openApi}</a>.</noscript></div>`,
      headings: [],
    };
  const file = page.source.markdown;
  return renderMarkdown(readFileSync(join(DOCS, file), 'utf8'), file, pathOf);
};

rmSync(SITE, { recursive: true, force: true });
const style = ['base', 'layout', 'code', 'reference']
  .map(name => readFileSync(join(APP, `src/styles/${name}.css`), 'utf8'))
  .join('\n');
const assets: Assets = {
  script: await bundle('site'),
  reference: await bundle('reference'),
  style: writeAsset('style.css', style),
};

const entries = PAGES.flatMap(page => {
  const content = contentOf(page);
  write(
    page.path === '' ? 'index.html' : `${page.path}.html`,
    pageHtml(page, content.html, outlineHtml(content), assets),
  );
  return 'markdown' in page.source ? entriesOf(page, content.html) : [];
});
write('search.json', JSON.stringify(entries.map((entry, id) => ({ id, ...entry }))));
console.log(`documentation: ${PAGES.length} pages`);
