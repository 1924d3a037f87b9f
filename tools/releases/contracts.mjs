#!/usr/bin/env node
/**
 * Checks the compatibility of releases; `node tools/releases/contracts.mjs` prints its usage. It runs the sources, because
 * existing build output can be from other sources.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const pathOf = relative => fileURLToPath(new URL(relative, import.meta.url));

const node = pathOf('../../node_modules/.bin/node');
const args = ['--import', pathOf('../setup/typescript-modules.mjs'), pathOf('contracts-of-sources.mjs')];
const { status } = spawnSync(node, [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
