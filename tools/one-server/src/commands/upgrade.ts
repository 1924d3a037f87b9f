import { existsSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChanged } from '../applying/apply.js';
import { planOf } from '../applying/plan.js';
import { createBackup } from '../backups/create-backup.js';
import { proveBackup } from '../backups/prove-backup.js';
import { readJson, writeJson } from '../machine/files.js';
import { run, systemctl } from '../machine/run.js';
import { exchangeService, isNewer, type ReleaseManifest, unpackedIn } from '../operations/exchange-service.js';
import { OperationUndone, runSteps, type Step } from '../operations/journal.js';
import { withLock } from '../operations/lock.js';
import { type Model, servicesOf, unitOf } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { healthOfAll } from '../services/health.js';
import { replaceServices } from '../services/replace.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

const PREVIOUS = `${PLACES.state}/previous-release.json`;
const KEPT_RELEASES = 3;

const folderOf = (version: string): string => join(PLACES.releases, version);

const manifestOf = (version: string): ReleaseManifest => {
  const manifest = readJson<ReleaseManifest>(join(folderOf(version), 'manifest.json'));
  if (manifest) return manifest;
  const unpacked = unpackedIn(PLACES.releases).join(', ') || 'none';
  throw new UsageError(`${version} is not unpacked. Run its install.sh first. Unpacked are: ${unpacked}`);
};

const currentVersion = (): string => basename(readlinkSync(PLACES.release));

/** Replaces the link at once. */
const switchTo = (version: string): void => {
  const link = `${PLACES.release}.new`;
  rmSync(link, { force: true });
  symlinkSync(join('releases', version), link);
  renameSync(link, PLACES.release);
};

/** The configuration is rendered and applied by the release that will run. */
const applyWith = async (version: string): Promise<void> => {
  await run(join(folderOf(version), 'bin/postern'), ['config', 'write']);
};

/** The releases in a bundle whose contracts it has; a build of a checkout has none. */
export const releasesIn = (folder: string, { services }: Pick<ReleaseManifest, 'services'>): readonly string[] =>
  Object.entries(services)
    .map(([service, version]) => `${service}@${version}`)
    .filter(release => existsSync(join(folder, 'libs/contracts/released', `${release}.json`)));

/** Asks the running processes, before anything changes, whether the new ones can run beside them. */
const compare = async (version: string, manifest: ReleaseManifest, print: Print): Promise<void> => {
  const releases = releasesIn(folderOf(version), manifest);
  if (releases.length === 0) return print(`${version} is a build of a checkout, and is not compared.`);
  await run(join(folderOf(version), 'bin/postern'), ['can-deploy', '--together', ...releases]).catch(
    (error: unknown) => {
      throw new OperationUndone(
        `${version} cannot run beside what runs, and nothing was changed. ${(error as Error).message}`,
      );
    },
  );
};

/** NATS first learns what the new release may do; its users have only more permissions. */
const replaceParts = async ({ configuration }: Model, print: Print): Promise<void> => {
  await systemctl('reload', unitOf('nats'));
  await replaceServices(configuration, print);
  await startChanged((await planOf()).files, print, servicesOf(configuration).map(unitOf));
};

/** The new release must stay ready, not only become it. */
const healthGate = async ({ configuration }: Model): Promise<void> => {
  for (let passed = 0; passed < 10; passed++) {
    const failed = (await healthOfAll(configuration)).filter(({ ready }) => !ready);
    if (failed.length > 0)
      throw new Error(`${failed.map(({ service, reason }) => `${service} (${reason})`).join(', ')} did not stay ready`);
    await pause(1_000);
  }
};

const replacementSteps = (from: string, to: string, model: Model, print: Print): readonly Step[] => [
  {
    name: 'switch',
    title: `Switching from ${from} to ${to}`,
    run: async () => {
      switchTo(to);
      await applyWith(to);
    },
  },
  {
    name: 'replace',
    title: 'Replacing the processes, one after the other',
    run: async () => {
      try {
        await replaceParts(model, print);
        await healthGate(model);
      } catch (error) {
        print(`${(error as Error).message}. Returning to ${from}.`);
        switchTo(from);
        await applyWith(from);
        await replaceParts(model, print);
        throw new OperationUndone(`${to} did not become healthy, and ${from} runs again. ${(error as Error).message}`);
      }
    },
  },
  { name: 'record', title: 'Recording the previous release', run: () => writeJson(PREVIOUS, { version: from }) },
];

export interface UpgradeOptions {
  readonly version: string;
  /** The release that ran at the beginning; after a kill, the link may name the other one. */
  readonly from?: string;
  readonly acceptNoReturn: boolean;
}

/** `upgrade <version>`: backs up, then replaces the release under load; returns by itself if it does not become healthy. */
export const upgrade = (options: UpgradeOptions, print: Print): Promise<void> =>
  withLock(async () => {
    const { version, acceptNoReturn } = options;
    const from = options.from ?? currentVersion();
    const manifest = manifestOf(version);
    if (from === version) {
      print(`${version} runs already.`);
      return;
    }
    if (isNewer(manifest.returnsTo, from) && !acceptNoReturn)
      throw new UsageError(
        `${from} cannot run on the data of ${version}, so there is no rollback except from the backup that this makes. If you accept that, add --accept-no-return`,
      );
    const { model } = await planOf();
    const compareStep: Step = {
      name: 'compare',
      title: 'Comparing the release with what runs',
      run: () => compare(version, manifest, print),
    };
    const backupStep: Step = {
      name: 'backup',
      title: 'Backing up',
      run: async () => proveBackup(await createBackup(model, print), model, print),
    };
    const steps = [compareStep, backupStep, ...replacementSteps(from, version, model, print)];
    await runSteps('upgrade', { version, from, acceptNoReturn }, steps, print);
    deleteOldReleases([version, from]);
    print(`${version} runs. To return: postern rollback`);
  });

export interface RollbackOptions {
  /** The service to return alone; without it, all services return to the release before the last upgrade. */
  readonly service?: string;
  /** Of a rollback that was interrupted. */
  readonly from?: string;
  readonly to?: string;
}

const targetOf = async ({ service, to }: RollbackOptions, from: string, print: Print): Promise<string | undefined> => {
  if (to !== undefined) return to;
  if (service === undefined) return readJson<{ version: string }>(PREVIOUS)?.version;
  const composed = await exchangeService(PLACES.releases, from, service);
  // The other services stay, and have not run with this version of it.
  await compare(composed, manifestOf(composed), print);
  return composed;
};

/** `rollback [service]`: returns to an earlier release, or one service to its earlier version, with the data of now. */
export const rollback = (options: RollbackOptions, print: Print): Promise<void> =>
  withLock(async () => {
    const from = options.from ?? currentVersion();
    const to = await targetOf(options, from, print);
    if (to === undefined || to === from) throw new UsageError('there was no upgrade to return from');
    manifestOf(to);
    if (isNewer(manifestOf(from).returnsTo, to))
      throw new Error(
        `${to} cannot run on the data of ${from}. Restore the backup from before the upgrade: postern backup list`,
      );
    const { model } = await planOf();
    await runSteps('rollback', { from, to }, replacementSteps(from, to, model, print), print);
    print(`${to} runs${options.service === undefined ? ' again' : ''}. To return: postern rollback`);
  });

/** Instances of web services still use the Node.js of their release, so the last ones stay. */
const deleteOldReleases = (needed: readonly string[]): void => {
  for (const version of unpackedIn(PLACES.releases).slice(KEPT_RELEASES))
    if (!needed.includes(version)) rmSync(folderOf(version), { recursive: true, force: true });
};
