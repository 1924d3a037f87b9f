import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { canDeploy, nameOf, type ReleaseContract } from '@postern/compatibility';
import { z } from 'zod';
import { RELEASED, releasedContracts } from './checkout.js';

/** The folder with a file for each environment. */
export const DEPLOYMENTS = 'deployed';

const RELEASE = /^[a-z][a-z-]*@\d+\.\d+\.\d+(-[\w.]+)?$/;
const deployment = z.record(z.string(), z.array(z.string().regex(/^\d+\.\d+\.\d+/, 'is not a version')).min(1));
type Deployment = Record<string, string[]>;

/** A mistake in the arguments or in a file that they name. */
class InputError extends Error {}

interface Given {
  readonly releases: readonly string[];
  /** The file of the environment. */
  readonly file: string;
}

const readArguments = (root: string, args: readonly string[]): Given => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { to: { type: 'string' } },
  });
  if (positionals.length === 0) throw new InputError('Name the releases: email-send@0.3.0');
  const wrong = positionals.find(name => !RELEASE.test(name));
  if (wrong !== undefined) throw new InputError(`${wrong} is not <service>@<version>, such as email-send@0.3.0`);
  const twice = positionals.find(
    (name, place) => positionals.findIndex(other => other.split('@')[0] === name.split('@')[0]) !== place,
  );
  if (twice !== undefined)
    throw new InputError(`${twice.split('@')[0]} is named twice. Name one release of a service.`);
  const { to = '' } = values;
  if (to === '') throw new InputError('Name the environment: --to production');
  if (!to.endsWith('.json') && !/^[a-z0-9][a-z0-9-]*$/.test(to))
    throw new InputError(`${to} is not the name of an environment, such as production, or of a .json file`);
  return { releases: positionals, file: to.endsWith('.json') ? to : join(root, DEPLOYMENTS, `${to}.json`) };
};

const readDeployment = (file: string): Deployment => {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InputError(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
  const read = deployment.safeParse(content);
  if (read.success) return read.data;
  throw new InputError(`${file}: ${z.prettifyError(read.error)}. Expected: {"email-send": ["0.2.0"]}`);
};

/** The stored contract of a release. The operator's command and the packages for npm do not run in an environment. */
const storedContract = (published: readonly ReleaseContract[], name: string): ReleaseContract => {
  const found = published.find(release => nameOf(release) === name);
  if (found) return found;
  const service = name.split('@')[0] as string;
  const versions = published.filter(release => release.service === service).map(({ version }) => version);
  const known = versions.length > 0 ? `its releases are ${versions.join(', ')}` : 'it has no release';
  throw new InputError(
    service in RELEASED
      ? `There is no contract of ${name} in libs/contracts/released: ${known}.`
      : `unknown service: ${service}. The services are ${Object.keys(RELEASED).join(', ')}`,
  );
};

/** Prints what stands against a deployment. @returns the exit code: 0 deployable, 1 not yet, 2 usage. */
export const canDeployCommand = (root: string, args: readonly string[]): number =>
  withErrors(() => {
    const { releases, file } = readArguments(root, args);
    const published = releasedContracts(root);
    const candidates = releases.map(name => storedContract(published, name));
    const running = Object.entries(readDeployment(file)).flatMap(([service, versions]) =>
      versions.map(version => storedContract(published, `${service}@${version}`)),
    );
    const { allowed, problems, notes, order } = canDeploy(candidates, { running, published });
    for (const problem of problems) console.log(`✗ ${problem}`);
    for (const note of notes) console.log(`· ${note}`);
    if (allowed && order.length > 1) console.log(`Deploy in this order: ${order.join(', ')}`);
    console.log(`${releases.join(', ')} ${allowed ? 'can' : 'cannot'} be deployed beside what runs in ${file}`);
    return allowed ? 0 : 1;
  });

/** Records that releases run in an environment, instead of earlier ones. @returns the exit code. */
export const recordDeployment = (root: string, args: readonly string[]): number =>
  withErrors(() => {
    const { releases, file } = readArguments(root, args);
    const published = releasedContracts(root);
    for (const name of releases) storedContract(published, name);
    const before = existsSync(file) ? readDeployment(file) : {};
    const after = releases.map(name => name.split('@') as [string, string]);
    const now = { ...before, ...Object.fromEntries(after.map(([service, version]) => [service, [version]])) };
    const sorted = Object.fromEntries(Object.entries(now).sort(([a], [b]) => a.localeCompare(b)));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
    console.log(`${file} names ${releases.join(', ')}`);
    return 0;
  });

const withErrors = (work: () => number): number => {
  try {
    return work();
  } catch (error) {
    const isUsage = error instanceof InputError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
    if (!isUsage) throw error;
    console.error((error as Error).message);
    return 2;
  }
};
