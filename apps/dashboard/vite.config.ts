import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

/** URL of the gateway that the development server forwards API calls to. */
const GATEWAY = 'http://127.0.0.1:8080';

/** The styles are in the page, so that it paints without a second request; the gateway's policy permits that. */
const inlineStyles = (): Plugin => ({
  name: 'inline-styles',
  apply: 'build',
  enforce: 'post',
  generateBundle(_, bundle) {
    const page = bundle['index.html'];
    if (page?.type !== 'asset') throw new Error('there is no index.html');
    page.source = String(page.source).replace(
      /<link rel="stylesheet"[^>]*href="\/dashboard\/([^"]+)"[^>]*>/g,
      (_, name) => {
        const styles = bundle[name];
        if (styles?.type !== 'asset') throw new Error(`there is no ${name}`);
        delete bundle[name];
        return `<style>${styles.source}</style>`;
      },
    );
  },
});

export default defineConfig({
  base: '/dashboard/',
  plugins: [inlineStyles()],
  define: { VERSION: JSON.stringify(version) },
  server: { proxy: { '/dashboard/api': GATEWAY } },
  build: {
    target: 'es2022',
    // All of them know `light-dark()`; its replacement for older ones ignores the theme that a user has chosen.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The gateway's Content-Security-Policy forbids inline scripts; browsers can also cache files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
