import { defineConfig } from 'vite';

/** Where `vite` (the development server) finds a running gateway; the build needs none. */
const GATEWAY = 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/dashboard/',
  server: { proxy: { '/dashboard/api': GATEWAY } },
  build: {
    target: 'es2022',
    // The gateway's Content-Security-Policy allows no inline script, and files are what browsers can keep.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
