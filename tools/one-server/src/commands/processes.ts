import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { planOf, RELEASE } from '../applying/plan.js';
import { latestBackup, restorableRanges } from '../backups/backup-folder.js';
import { rangeText } from '../backups/wal-archive.js';
import { type Configuration } from '../configuration/schema.js';
import { readJson } from '../machine/files.js';
import { run, succeeds, systemctl } from '../machine/run.js';
import { interruptedCommand } from '../operations/interrupted.js';
import { withLock } from '../operations/lock.js';
import { PLACES } from '../rendering/places.js';
import { unitsOf } from '../rendering/render.js';
import { certificateOf } from '../services/certificate.js';
import { healthOfAll, untilHealthy } from '../services/health.js';
import { replaceServices } from '../services/replace.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

/** The units in the order of their start, or the one of a part such as `email-send`. @throws UsageError */
const selected = (units: readonly string[], part: string | undefined): readonly string[] => {
  if (part === undefined) return units;
  const unit = units.find(
    name => name === `postern-${part.replace(/^postern-/, '').replace(/\.service$/, '')}.service`,
  );
  if (unit !== undefined) return [unit];
  const parts = units
    .filter(name => name.endsWith('.service'))
    .map(name => name.slice('postern-'.length, -'.service'.length));
  throw new UsageError(`unknown part: ${part}. The parts are ${parts.join(', ')}`);
};

/** Some of all units, with their sockets: a connection to one would start its service again. */
export const withSockets = (all: readonly string[], chosen: readonly string[]): readonly string[] =>
  all.filter(name => chosen.includes(name.replace(/\.socket$/, '.service')));

/** `up`: starts everything, or one part. */
export const up = (part: string | undefined, print: Print): Promise<void> =>
  withLock(async () => {
    const { files, model } = await planOf();
    await systemctl('start', ...selected(unitsOf(files), part), ...(part === undefined ? ['postern.target'] : []));
    if (part === undefined) await untilHealthy(model.configuration, print);
    print('Started.');
  });

/** `down`: stops everything, web services included, or one part. The firewall stays. */
export const down = (part: string | undefined, print: Print): Promise<void> =>
  withLock(async () => {
    const { files } = await planOf();
    const all = unitsOf(files).filter(name => name !== 'postern-firewall.service');
    const units = withSockets(all, selected(all, part));
    await systemctl('stop', ...(part === undefined ? ['postern.target'] : []), ...[...units].reverse());
    print('Stopped.');
  });

/** `restart`: replaces the processes of all services, so that no request fails, or restarts one part. */
export const restart = (part: string | undefined, print: Print): Promise<void> =>
  withLock(async () => {
    const { files, model } = await planOf();
    if (part === undefined) return replaceServices(model.configuration, print);
    await systemctl('restart', ...selected(unitsOf(files), part));
    await untilHealthy(model.configuration, print);
  });

const stateOf = async (unit: string): Promise<Readonly<Record<string, string>>> => {
  const shown = await systemctl(
    'show',
    unit,
    '--property=ActiveState,SubState,NRestarts,MemoryCurrent,Restart,UnitFileState',
  );
  return Object.fromEntries(
    shown
      .trim()
      .split('\n')
      .map(line => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  );
};

const mebibytes = (bytes: string | undefined): string =>
  /^\d+$/.test(bytes ?? '') ? `${Math.round(Number(bytes) / 1024 ** 2)} MiB` : '';

const ageOf = (time: string): string => {
  const hours = (Date.now() - Date.parse(time)) / 3_600_000;
  return hours < 48 ? `${hours.toFixed(1)} h ago` : `${Math.floor(hours / 24)} days ago`;
};

const unitStates = async (units: readonly string[]) =>
  Promise.all(
    units.map(async unit => {
      const state = await stateOf(unit);
      return {
        unit,
        state: `${state['ActiveState']} (${state['SubState']})`,
        active: state['ActiveState'] === 'active',
        restarts: Number(state['NRestarts'] ?? 0),
        memory: mebibytes(state['MemoryCurrent']),
      };
    }),
  );

const diskOf = () => {
  const { bavail, blocks, bsize } = statfsSync(PLACES.state);
  return { free_bytes: bavail * bsize, free_percent: Math.round((bavail / blocks) * 100) };
};

/** What `status` shows. */
export const statusOf = async (configuration: Configuration, units: readonly string[]) => ({
  version: readJson<{ version: string }>(join(RELEASE, 'manifest.json'))?.version ?? 'unreleased',
  url: `https://${configuration.host}`,
  units: await unitStates(units),
  health: await healthOfAll(configuration),
  disk: diskOf(),
  certificate: await certificateOf(configuration.host),
  backup: latestBackup(configuration.backup.to),
  restorable: restorableRanges(configuration.backup.to),
  interrupted: interruptedCommand() ?? null,
});

/** `status`: versions, units, health, disk, certificate and backup. @returns whether all is well. */
export const status = async (json: boolean, print: Print): Promise<boolean> => {
  const { files, model } = await planOf();
  const found = await statusOf(model.configuration, unitsOf(files));
  const isWell = found.health.every(({ ready }) => ready) && found.units.every(({ active }) => active);
  if (json) {
    print(JSON.stringify(found, null, 2));
    return isWell;
  }
  print(`Postern ${found.version} at ${found.url}`);
  for (const { unit, state, restarts, memory } of found.units)
    print(
      `  ${unit.padEnd(38)} ${state.padEnd(20)} ${memory.padStart(9)}${restarts > 0 ? `  ${restarts} restarts` : ''}`,
    );
  for (const { service, reason } of found.health.filter(({ ready }) => !ready))
    print(`  not ready: ${service} (${reason})`);
  print(`  disk         ${found.disk.free_percent} % free (${(found.disk.free_bytes / 1e9).toFixed(1)} GB)`);
  print(
    `  certificate  ${found.certificate?.validUntil ? `valid until ${found.certificate.validUntil.slice(0, 10)}` : 'none yet'}`,
  );
  print(`  backup       ${found.backup ? ageOf(found.backup.createdAt) : 'none yet'}`);
  for (const range of found.restorable) print(`  restorable   ${rangeText(range)}`);
  if (found.interrupted !== null)
    print(`  "postern ${found.interrupted}" was interrupted; continue with "postern resume"`);
  return isWell;
};

/** `logs`: the log of everything, or of one part. */
export const logs = async (
  part: string | undefined,
  options: { readonly follow?: boolean; readonly lines: string },
): Promise<void> => {
  if (!/^\d{1,6}$/.test(options.lines)) throw new UsageError('--lines must be a whole number, such as 200');
  const { files } = await planOf();
  const units = selected(unitsOf(files), part).flatMap(unit => ['--unit', unit]);
  const args = ['--namespace=postern', '--no-pager', '--output=cat', '--lines', options.lines, ...units];
  await run('journalctl', [...args, ...(options.follow ? ['--follow'] : [])], { inherit: true });
};

/** Units whose supervision is not what was rendered, for `doctor`. */
export const unsupervised = async (units: readonly string[]): Promise<readonly string[]> => {
  const services = units.filter(unit => unit.endsWith('.service') && !/-(instances|firewall)\.service$/.test(unit));
  const states = await Promise.all(services.map(async unit => ({ unit, ...(await stateOf(unit)) })));
  return states.filter(state => (state as Record<string, string>)['Restart'] !== 'always').map(({ unit }) => unit);
};

/** Units that are not running or not enabled. */
export const stopped = async (units: readonly string[]): Promise<readonly string[]> => {
  const running = await Promise.all(units.map(unit => succeeds('systemctl', ['is-active', '--quiet', unit])));
  return units.filter((_, index) => !running[index]);
};
