/** The program of `contracts.mjs`. */
import { sourcesDigest } from './sources-digest.mjs';
import { contracts } from './src/contracts.ts';
import { ROOT } from './worktree.mjs';

process.exitCode = contracts(process.argv.slice(2), service => sourcesDigest(ROOT, service));
