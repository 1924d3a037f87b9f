/** The program that `contracts.mjs` runs. */
import { sourcesDigest } from './sources-digest.mjs';
import { contracts } from './src/contracts.ts';
import { ROOT } from './worktree.mjs';

process.exitCode = contracts(process.argv.slice(2), service => sourcesDigest(ROOT, service));
