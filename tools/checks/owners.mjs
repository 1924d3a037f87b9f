#!/usr/bin/env node
/** `node tools/checks/owners.mjs`: writes .github/CODEOWNERS from the service.json of each service. Run `npx tsc -b` first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOwners } from './dist/owners.js';

const root = join(import.meta.dirname, '../..');
writeFileSync(join(root, '.github/CODEOWNERS'), codeOwners(root));
