/** `npm run faults`: sends email, injects random faults, and compares what Postern reports with what outside systems observed. */

import { Cleanup } from '@postern/testing';
import { readOptions, UsageError } from './options.js';
import { faultRun, printPlan } from './run/fault-run.js';

const cleanup = new Cleanup();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (interrupted) return;
    interrupted = true;
    console.error('\n▸ stopping');
    void cleanup.run().finally(() => process.exit(130));
  });

const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2));
  if (options.plan) {
    printPlan(options);
    return 0;
  }
  try {
    return (await faultRun(options, cleanup)).length === 0 ? 0 : 1;
  } finally {
    await cleanup.run();
  }
};

try {
  const code = await main();
  if (!interrupted) process.exit(code);
} catch (error) {
  if (!interrupted) {
    console.error(error instanceof UsageError ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
