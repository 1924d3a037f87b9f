import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const MAX_LINES = 15;

/** The shortened message of a failure, without colors and stack. */
const reasonOf = text => {
  const lines = stripVTControlCharacters(text).split('\n');
  const stack = lines.findIndex(line => /^\s+at /.test(line));
  return lines
    .slice(0, stack === -1 ? MAX_LINES : Math.min(stack, MAX_LINES))
    .join('\n')
    .trimEnd();
};

/** The full names of the failed tests of a suite; a suite that could not run counts as one failure. */
const failuresOf = ({ testExecError, testResults }) =>
  testExecError
    ? [{ name: 'the file could not be run', reason: reasonOf(testExecError.message ?? '') }]
    : testResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => ({ name: fullName, reason: reasonOf(failureMessages[0] ?? '') }));

/** A reporter that writes the passed and failed tests of an Nx task, with reasons, as an output of the task that Nx caches. */
export default class JestCounts {
  onRunComplete(_, { numPassedTests, testResults }) {
    const { NX_WORKSPACE_ROOT, NX_TASK_TARGET_PROJECT: project, NX_TASK_TARGET_TARGET: target } = process.env;
    if (!NX_WORKSPACE_ROOT || !project || !target) return;
    const file = join(NX_WORKSPACE_ROOT, 'test-results', project, `${target.replaceAll(':', '-')}.json`);
    mkdirSync(dirname(file), { recursive: true });
    const failed = testResults.flatMap(suite =>
      failuresOf(suite).map(failure => ({ file: relative(NX_WORKSPACE_ROOT, suite.testFilePath), ...failure })),
    );
    writeFileSync(file, JSON.stringify({ passed: numPassedTests, failed }));
  }
}
