/** The program that `contracts.mjs` runs. */
import { sourcesIn } from './sources.mjs';
import { contracts } from './src/contracts.ts';
import { ROOT } from './worktree.mjs';

process.exitCode = await contracts(process.argv.slice(2), sourcesIn(ROOT));
