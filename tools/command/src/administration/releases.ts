import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canDeploy, nameOf, type ReleaseContract, readReleaseContract } from '@postern/compatibility';
import { type RunningRelease, runningReleases } from '@postern/service-host/running-releases';
import { UsageError } from '../errors.js';
import { table } from '../output/table.js';
import type { Operator } from './operator.js';

/** The contracts of releases in this image or checkout. */
const RELEASED = fileURLToPath(new URL('../../../../libs/contracts/released/', import.meta.url));

/** `releases [--json]`: which releases run. */
export const listReleases = async (
  { link, print }: Operator,
  { json = false }: { readonly json?: boolean | undefined },
): Promise<boolean> => {
  const running = await runningReleases(link);
  if (json) {
    const versionsOf = (name: string) =>
      running.filter(({ service }) => service === name).map(({ version }) => version);
    const versions = running.map(({ service }) => [service, versionsOf(service).sort()]);
    print(JSON.stringify(Object.fromEntries(versions), null, 2));
    return running.length > 0;
  }
  const rows = running.map(({ service, version, contract, processes }) => [
    service,
    version,
    processes,
    contract ? 'release' : 'build of a checkout',
  ]);
  print(rows.length === 0 ? 'No service answers.' : table(['SERVICE', 'VERSION', 'PROCESSES', 'KIND'], rows));
  return rows.length > 0;
};

/**
 * `can-deploy [<service>@<version>…] [--together]`: whether these releases, or that of this image, may be deployed beside
 * those that run; `--together` if all other services are upgraded in the same step.
 */
export const canDeployBeside = async (
  { link, print }: Operator,
  names: readonly string[],
  { together = false, to }: { readonly together?: boolean | undefined; readonly to?: string | undefined } = {},
  folder = RELEASED,
): Promise<boolean> => {
  if (to !== undefined)
    throw new UsageError(
      `--to ${to} is an option of \`node tools/releases/contracts.mjs can-deploy\`; this command asks the running processes`,
    );
  const stored = storedContracts(folder);
  if (names.length === 0 && new Set(stored.map(({ service }) => service)).size > 1)
    throw new UsageError('name the releases: postern can-deploy email-send@0.3.0');
  const candidates = names.length > 0 ? names.map(name => contractNamed(stored, name)) : stored;
  if (candidates.length === 0) {
    print('This image is no release: it has no contract to compare.');
    return true;
  }
  const running = await runningReleases(link);
  for (const { service, version } of running.filter(({ contract }) => !contract))
    print(`· ${service}@${version} runs as a build of a checkout, and is not compared.`);
  const { allowed, problems, notes, order } = canDeploy(candidates, {
    running: running.filter(({ contract }) => contract).map(contractOf),
    published: stored,
    together,
  });
  for (const problem of problems) print(`✗ ${problem}`);
  for (const note of notes) print(`· ${note}`);
  if (allowed && order.length > 1) print(`Deploy in this order: ${order.join(', ')}`);
  const beside = running.map(nameOf).sort().join(', ') || 'nothing';
  print(`${candidates.map(nameOf).join(', ')} ${allowed ? 'can' : 'cannot'} be deployed beside what runs: ${beside}`);
  return allowed;
};

const contractOf = (running: RunningRelease): ReleaseContract =>
  readReleaseContract(running.contract, `the answer of ${nameOf(running)}`);

const storedContracts = (folder: string): readonly ReleaseContract[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter(file => file.endsWith('.json'))
    .map(file => readReleaseContract(JSON.parse(readFileSync(join(folder, file), 'utf8')), file));

const contractNamed = (stored: readonly ReleaseContract[], name: string): ReleaseContract => {
  if (!/^[a-z][a-z-]*@\d+\.\d+\.\d+/.test(name))
    throw new UsageError(`${name} is not <service>@<version>, such as email-send@0.3.0`);
  const found = stored.find(release => nameOf(release) === name);
  if (found) return found;
  const known = stored.map(nameOf).join(', ') || 'none';
  throw new UsageError(`There is no contract of ${name} here. Run the command in its image; this one has: ${known}`);
};
