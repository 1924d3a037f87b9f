import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const MOST_COMMITS = 100;
const RUN = /Measured on (?<date>\d{4}-\d{2}-\d{2}) at commit (?<commit>[0-9a-f]{7,40})\b/g;

const git = (...args: string[]): string | undefined => {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
};

/** Commits since then; undefined without a repository, in a shallow clone, and for a commit of another history. */
const commitsSince = (commit: string): number | undefined => {
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return undefined;
  if (git('merge-base', '--is-ancestor', commit, 'HEAD') === undefined) return undefined;
  return Number(git('rev-list', '--count', `${commit}..HEAD`));
};

it('docs/figures.md has figures of a run that is at most 100 commits old', () => {
  const page = readFileSync(join(ROOT, 'docs/figures.md'), 'utf8');
  const runs = [...page.matchAll(RUN)].map(({ groups }) => groups as { date: string; commit: string });
  expect(runs.length).toBeGreaterThan(0);
  const old = runs.filter(({ commit }) => (commitsSince(commit) ?? 0) > MOST_COMMITS);
  // Publish them again: `npm run bench -- email --publish`.
  expect(old).toEqual([]);
});
