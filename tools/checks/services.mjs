#!/usr/bin/env node
/**
 * `node tools/checks/services.mjs`: writes the lists of services in shared files, .github/CODEOWNERS included, from the
 * service.json of each service. Run `npx tsc -b tools/checks` first.
 */
import { join } from 'node:path';
import { writeServices } from './dist/write-services.js';

for (const file of writeServices(join(import.meta.dirname, '../..'))) console.log(`wrote ${file}`);
