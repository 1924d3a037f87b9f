#!/usr/bin/env node
import { existsSync } from 'node:fs';

if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error(`postern needs Node.js 20 or newer, not ${process.versions.node}.`);
  process.exit(1);
}
const program = new URL('../dist/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('Postern is not built. Run `npx tsc -b` first.');
  process.exit(1);
}
await import(program.href);
