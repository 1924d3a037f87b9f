import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { nameOf, newestOf, type ReleaseContract } from '@postern/compatibility';

/** What the check needs to know about a checkout. */
export interface PlannedCheckout {
  readonly released: readonly ReleaseContract[];
  /** The contract of a unit as it is now. */
  readonly contractOf: (unit: string) => ReleaseContract;
  readonly digestOf: (unit: string) => string;
  /** The files of a unit and its libraries that have changed since a release; undefined if Git does not know. */
  readonly changedSince: (release: string, unit: string) => readonly string[] | undefined;
  readonly hasPlan: (unit: string) => boolean;
}

/** A unit whose change no version plan releases. */
export interface MissingPlan {
  readonly unit: string;
  readonly text: string;
}

/**
 * Units that have changed since their newest release, by themselves or by a library, and have no version plan: the change would
 * reach nobody. A contract that the unit does not use counts only if the unit exchanges something else than before.
 */
export const missingPlans = (units: readonly string[], checkout: PlannedCheckout): readonly MissingPlan[] =>
  newestOf(checkout.released)
    .filter(({ service }) => units.includes(service) && !checkout.hasPlan(service))
    .flatMap(release => {
      const { service, sources } = release;
      if (sources === undefined || sources === checkout.digestOf(service)) return [];
      const changed = checkout.changedSince(nameOf(release), service);
      const onlyContracts = changed?.every(path => path.startsWith('libs/contracts/')) ?? false;
      if (onlyContracts && isSame(release, checkout.contractOf(service))) return [];
      const [first = 'its sources', ...others] = changed ?? [];
      const what = others.length > 0 ? `${first} and ${others.length} more` : first;
      const text = `${service}: ${what} changed after ${nameOf(release)}, and no version plan releases it`;
      return [{ unit: service, text }];
    });

const isSame = (release: ReleaseContract, now: ReleaseContract): boolean => {
  const { version: _, sources: _sources, migrations: _migrations, conditions: _conditions, ...before } = release;
  const after = JSON.parse(JSON.stringify(now)) as ReleaseContract;
  return Object.entries(before).every(([part, value]) =>
    isDeepStrictEqual(value, after[part as keyof ReleaseContract]),
  );
};

const IGNORED = /(\.md|\.spec\.ts|\/service\.json)$|^libs\/contracts\/released\//;

/** The changed files according to Git, without those that are no part of a release. */
export const changedFiles = (
  root: string,
  release: string,
  paths: readonly string[],
): readonly string[] | undefined => {
  try {
    const args = ['diff', '--name-only', '-z', `refs/tags/${release}`, '--', ...paths];
    const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return output.split('\0').filter(path => path !== '' && !IGNORED.test(path));
  } catch {
    return undefined;
  }
};

/** Writes a plan for a fix of each unit. @returns the files, relative to the checkout. */
export const addPlans = (root: string, missing: readonly MissingPlan[], message: string): readonly string[] => {
  const folder = '.nx/version-plans';
  mkdirSync(join(root, folder), { recursive: true });
  return missing.map(({ unit }) => {
    const file = `${folder}/${unit}-${Date.now()}.md`;
    writeFileSync(join(root, file), `---\n${unit}: patch\n---\n\n${message}\n`);
    return file;
  });
};
