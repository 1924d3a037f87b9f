import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeJson } from '../machine/files.js';
import type { Model } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { type BackupManifest, manifestOf } from './backup-folder.js';
import { countEvents } from './create-backup.js';
import { digestOf } from './digest.js';
import { recoverCluster } from './recover-cluster.js';

/** Compares every file of a backup with its manifest. @throws with what is wrong. */
export const verifyFiles = async (folder: string): Promise<BackupManifest> => {
  const manifest = manifestOf(folder);
  if (!manifest) throw new Error(`${folder} is no complete backup: it has no manifest.json.`);
  if (manifest.format > 2)
    throw new Error(`${folder} was written by a newer release (${manifest.version}). Install that release first.`);
  for (const [name, digest] of Object.entries(manifest.files)) {
    const found = await digestOf(join(folder, name)).catch(() => undefined);
    if (found !== digest)
      throw new Error(`${join(folder, name)} is ${found === undefined ? 'missing' : 'damaged'}. Use another backup.`);
  }
  return manifest;
};

/**
 * Restores the databases of a backup into a scratch cluster, replays archived WAL, and compares the number of events with that of
 * the original. Records the time in the backup. @throws with what is missing.
 */
export const proveBackup = async (backup: string, model: Model, print: (line: string) => void): Promise<void> => {
  const manifest = await verifyFiles(backup);
  mkdirSync(join(PLACES.state, 'scratch'), { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(join(PLACES.state, 'scratch/'));
  const withWal = manifest.wal?.events;
  try {
    await recoverCluster(
      { backup, folder, until: withWal ? 'archive' : 'backup', archives: false },
      model,
      async socket => {
        const restored = await countEvents(socket);
        for (const [database, events] of Object.entries(withWal ?? manifest.events))
          if ((restored[database] ?? 0) < events)
            throw new Error(`${database} has ${restored[database] ?? 0} of ${events} events in the backup ${backup}.`);
        const sum = Object.values(restored).reduce((total, each) => total + each, 0);
        print(`Restored into a scratch cluster${withWal ? ' with archived WAL' : ''}: ${sum} events, complete.`);
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  writeJson(join(backup, 'manifest.json'), { ...manifest, provenAt: new Date().toISOString() }, 0o600);
};
