#!/usr/bin/env node
/** `npx postern …`. Requires a built checkout, as `npm start` and `npm test` create it. */
import { existsSync } from 'node:fs';

if (Number.parseInt(process.versions.node, 10) < 22) {
  console.error(`postern needs Node.js 22 or newer, not ${process.versions.node}. Run it with \`npx postern\`.`);
  process.exit(1);
}
const program = new URL('../dist/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('Postern is not built. Run `npx tsc -b` first.');
  process.exit(1);
}
await import(program.href);
