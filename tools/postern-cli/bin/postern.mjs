#!/usr/bin/env node
/** `npx postern …`; the checkout has to be built, as `npm start` and `npm test` leave it. */
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('Postern is not built yet: npx tsc -b');
  process.exit(1);
}
await import(program.href);
