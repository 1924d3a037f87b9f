import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { asPostgres } from '../operations/prepare-machine.js';
import type { Model } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { type BackupManifest, manifestOf } from './backup-folder.js';
import { countEvents, digestOf } from './create-backup.js';

/** Compares every file of a backup with its manifest. @throws with what is wrong. */
export const verifyFiles = async (folder: string): Promise<BackupManifest> => {
  const manifest = manifestOf(folder);
  if (!manifest) throw new Error(`${folder} is no complete backup: it has no manifest.json.`);
  if (manifest.format !== 1)
    throw new Error(`${folder} was written by a newer release (${manifest.version}). Install that release first.`);
  for (const [name, digest] of Object.entries(manifest.files)) {
    const found = await digestOf(join(folder, name)).catch(() => undefined);
    if (found !== digest)
      throw new Error(`${join(folder, name)} is ${found === undefined ? 'missing' : 'damaged'}. Use another backup.`);
  }
  return manifest;
};

/**
 * Restores the databases of a backup into a scratch cluster, starts it, and compares the number of events with that of the
 * original. Records the time in the backup. @throws with what is missing.
 */
export const proveBackup = async (folder: string, { machine }: Model, print: (line: string) => void): Promise<void> => {
  const manifest = await verifyFiles(folder);
  mkdirSync(join(PLACES.state, 'scratch'), { recursive: true, mode: 0o755 });
  const scratch = mkdtempSync(join(PLACES.state, 'scratch/'));
  const data = join(scratch, 'postgresql');
  const control = (action: readonly string[]) =>
    asPostgres([`${machine.postgresBin}/pg_ctl`, '-D', data, '-w', '-t', '600', ...action]);
  try {
    chmodSync(scratch, 0o711);
    await run('tar', [
      '--extract',
      '--zstd',
      '--numeric-owner',
      '--file',
      join(folder, 'postgresql.tar.zst'),
      '-C',
      scratch,
    ]);
    const socket = join(scratch, 'socket');
    mkdirSync(socket, { mode: 0o700 });
    await run('chown', ['postgres:postgres', socket]);
    const options = `-c config_file=${data}/postgresql.conf -c hba_file=${PLACES.rendered}/pg_hba.conf -c listen_addresses= -c unix_socket_directories=${socket} -c shared_buffers=64MB`;
    await control(['-o', options, '-l', join(data, 'scratch.log'), 'start']);
    try {
      const restored = await countEvents(socket);
      for (const [database, events] of Object.entries(manifest.events))
        if ((restored[database] ?? 0) < events)
          throw new Error(`${database} has ${restored[database] ?? 0} of ${events} events in the backup ${folder}.`);
      print(
        `Restored into a scratch cluster: ${Object.values(restored).reduce((sum, each) => sum + each, 0)} events, complete.`,
      );
    } finally {
      await control(['-m', 'immediate', 'stop']);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  writeJson(join(folder, 'manifest.json'), { ...manifest, provenAt: new Date().toISOString() }, 0o600);
};
