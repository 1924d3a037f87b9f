/** Reads the test results that `jest-counts.mjs` writes, and repeats failed spec files. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './prepare.mjs';

const RESULTS = join(ROOT, 'test-results');
/** The project name of the results of repeated spec files. */
const REPEATED = 'repeated';
/** More failed spec files have a common cause, so they are not repeated. */
const MAX_REPEATED = 10;
/** The Jest project of each Nx target whose failed spec files are repeated. */
const TIERS = { 'test:integration': 'integration', stories: 'stories', e2e: 'e2e', 'e2e:crash': 'crash' };

export const deleteResults = () => rmSync(RESULTS, { recursive: true, force: true });

const fileOf = (project, target) => join(RESULTS, project, `${target.replaceAll(':', '-')}.json`);
const resultOf = (project, target) => {
  const file = fileOf(project, target);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
};

/** The number of passed tests, and the failed tests. */
export const readResults = () => {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS, { recursive: true }) : [];
  const each = files
    .filter(file => file.endsWith('.json') && !file.startsWith(REPEATED))
    .map(file => JSON.parse(readFileSync(join(RESULTS, file), 'utf8')));
  return {
    passed: each.reduce((total, { passed }) => total + passed, 0),
    failed: each.flatMap(({ failed }) => failed),
  };
};

/** The projects with a target; only those among `projects`, if they are given. */
const projectsWith = async (target, projects) => {
  const all = JSON.parse(await run('nx', ['show', 'projects', '--withTarget', target, '--json']));
  return projects ? all.filter(project => projects.includes(project)) : all;
};

const repeat = async (target, files) => {
  const args = ['--selectProjects', TIERS[target], '--runInBand', '--runTestsByPath', ...files];
  const env = {
    NX_WORKSPACE_ROOT: ROOT,
    NX_TASK_TARGET_PROJECT: REPEATED,
    NX_TASK_TARGET_TARGET: target,
  };
  const passed = await run('jest', args, { env, inherit: true }).then(
    () => true,
    () => false,
  );
  // A test that did not fail again only because its file could not run has not passed.
  return passed
    ? []
    : (resultOf(REPEATED, target)?.failed ?? [{ file: files[0], name: target, reason: 'ended early' }]);
};

/**
 * Runs the spec files with failed tests of these targets again, one at a time; `projects` are those that ran. @returns the
 * tests that failed again; undefined if nothing was repeated, because a task failed for another reason or too many spec files failed.
 */
export const repeatFailed = async (targets, projects) => {
  const failedFiles = new Map();
  for (const target of targets) {
    const results = (await projectsWith(target, projects)).map(project => resultOf(project, target));
    if (results.includes(undefined)) return undefined;
    const files = new Set(results.flatMap(({ failed }) => failed.map(({ file }) => file)));
    if (files.size > 0) failedFiles.set(target, [...files]);
  }
  const count = [...failedFiles.values()].flat().length;
  if (count === 0 || count > MAX_REPEATED) return undefined;
  console.log(`\n▸ ${count} spec files have failed tests: repeating them one after the other`);
  const failedAgain = [];
  for (const [target, files] of failedFiles) failedAgain.push(...(await repeat(target, files)));
  return failedAgain;
};
