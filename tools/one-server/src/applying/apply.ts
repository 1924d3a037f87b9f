import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { writeDurably, writeJson } from '../machine/files.js';
import { run, succeeds, systemctl } from '../machine/run.js';
import { SecretStore } from '../machine/secret-store.js';
import { prepareBackupKey } from '../operations/backup-key.js';
import type { RenderedFile } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { unitsOf } from '../rendering/render.js';
import { RECORD, recordOf } from './changes.js';
import { clearPending, notePending, pendingUnits } from './pending.js';
import type { Plan } from './plan.js';

const isUnit = (path: string): boolean => path.startsWith(`${PLACES.systemd}/`);

/** Writes the changed files and lets systemd read them. Starts nothing. */
export const writeChanges = async ({ model, files, changes }: Plan): Promise<void> => {
  notePending(changes);
  for (const { path, after } of changes) {
    if (after !== undefined) writeDurably(path, after);
    else await removeFile(path);
  }
  writeJson(RECORD, recordOf(files));
  new SecretStore().derive(model.configuration);
  await prepareBackupKey();
  await run('systemd-sysusers');
  await systemctl('daemon-reload');
};

const removeFile = async (path: string): Promise<void> => {
  if (isUnit(path)) await systemctl('disable', '--now', basename(path)).catch(() => undefined);
  rmSync(path, { force: true });
};

/**
 * Enables the units, starts those that do not run, and restarts or reloads those whose files changed.
 * @param replaced units that have read their files already
 */
export const startChanged = async (
  files: readonly RenderedFile[],
  print: (line: string) => void,
  replaced: readonly string[] = [],
): Promise<void> => {
  const units = unitsOf(files);
  await systemctl('enable', '--quiet', 'postern.target', ...units);
  const { restart, reload } = pendingUnits();
  for (const unit of units) {
    if (!(await succeeds('systemctl', ['is-active', '--quiet', unit]))) await systemctl('start', unit);
    else if (replaced.includes(unit)) continue;
    else if (restart.includes(unit)) {
      print(`restarting ${unit}`);
      await systemctl('restart', unit);
    } else if (reload.includes(unit)) {
      print(`reloading ${unit}`);
      await systemctl('reload-or-restart', unit);
    }
  }
  await systemctl('try-restart', 'systemd-journald@postern.service').catch(() => undefined);
  await systemctl('start', 'postern.target');
  clearPending();
};
