import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

/** URL of the gateway that the development server forwards API calls to. */
const GATEWAY = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/dashboard/',
  define: { VERSION: JSON.stringify(version) },
  server: { proxy: { '/dashboard/api': GATEWAY } },
  build: {
    target: 'es2022',
    // The gateway's Content-Security-Policy forbids inline scripts; browsers can also cache files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
