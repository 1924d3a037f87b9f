import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The full names of a suite's failed tests; a suite that could not run is one failure. */
const failuresOf = ({ testExecError, testResults }) =>
  testExecError
    ? ['the file could not be run']
    : testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);

/** A reporter that writes how many tests of an Nx task passed and which failed: an output of the task, which Nx restores. */
export default class JestCounts {
  onRunComplete(_, { numPassedTests, testResults }) {
    const { NX_WORKSPACE_ROOT, NX_TASK_TARGET_PROJECT: project, NX_TASK_TARGET_TARGET: target } = process.env;
    if (!NX_WORKSPACE_ROOT || !project || !target) return;
    const file = join(NX_WORKSPACE_ROOT, 'test-results', project, `${target.replaceAll(':', '-')}.json`);
    mkdirSync(dirname(file), { recursive: true });
    const failed = testResults.flatMap(suite =>
      failuresOf(suite).map(name => `${relative(NX_WORKSPACE_ROOT, suite.testFilePath)}: ${name}`),
    );
    writeFileSync(file, JSON.stringify({ passed: numPassedTests, failed }));
  }
}
