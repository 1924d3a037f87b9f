import { defineConfig } from 'vitepress';
import { withExternalScripts } from '../src/external-scripts.js';
import { anchorOf, withLinksOfTheSite } from '../src/markdown.js';
import { writeMarkdown } from '../src/markdown-pages.js';
import { FILES, SECTIONS } from '../src/navigation.js';

const BASE = '/docs/';

export default defineConfig({
  title: 'Postern',
  titleTemplate: ':title · Postern',
  description: 'How to send email and run web services with Postern, and how to operate it.',
  lang: 'en',
  base: BASE,
  head: [['link', { rel: 'icon', href: '/dashboard/favicon.svg' }]],
  cleanUrls: true,
  srcDir: '../../docs',
  // Records for maintainers, and files that no page of the navigation shows.
  srcExclude: ['decisions/**', 'events.md', 'browser-figures.md'],
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  metaChunk: true,
  // Read by the gateway, not by the generator.
  ignoreDeadLinks: [/^\/openapi\.json$/, /^\/dashboard/, /^\/install\.sh$/, /^\/llms\.txt$/],
  markdown: {
    anchor: { slugify: anchorOf },
    config: withLinksOfTheSite,
    externalLinks: {},
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: SECTIONS.map(({ title, pages }) => ({
      text: title,
      items: pages.map(page => ({ text: page.title, link: `/${page.file.replace(/^index\.md$|\.md$/, '')}` })),
    })),
    outline: [2, 3],
  },
  transformPageData: ({ relativePath }) => {
    if (!FILES.has(relativePath)) throw new Error(`src/navigation.ts has no place for docs/${relativePath}`);
  },
  buildEnd: ({ srcDir, outDir }) => writeMarkdown(srcDir, outDir),
  transformHtml: (html, _id, { siteConfig }) => withExternalScripts(html, BASE, siteConfig.outDir),
  vite: { esbuild: { tsconfigRaw: '{}' } },
});
