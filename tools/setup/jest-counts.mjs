import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A reporter that writes how many tests of an Nx task passed and failed: an output of the task, which Nx restores. */
export default class JestCounts {
  onRunComplete(_, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const { NX_WORKSPACE_ROOT, NX_TASK_TARGET_PROJECT: project, NX_TASK_TARGET_TARGET: target } = process.env;
    if (!NX_WORKSPACE_ROOT || !project || !target) return;
    const file = join(NX_WORKSPACE_ROOT, 'test-results', project, `${target.replaceAll(':', '-')}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites }));
  }
}
