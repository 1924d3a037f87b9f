import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { recordedFiles } from '../applying/changes.js';
import { planOf } from '../applying/plan.js';
import { run, systemctl } from '../machine/run.js';
import { runSteps } from '../operations/journal.js';
import { withLock } from '../operations/lock.js';
import { PLACES } from '../rendering/places.js';
import { unitsOf } from '../rendering/render.js';
import { UsageError } from '../usage-error.js';

type Print = (line: string) => void;

/** `uninstall [--purge] --yes`: stops and removes the units. Data, secrets and backups stay; `--purge` deletes data and secrets. */
export const uninstall = (options: { readonly purge: boolean; readonly yes: boolean }, print: Print): Promise<void> => {
  if (!options.yes)
    throw new UsageError(
      `this ${options.purge ? 'deletes all data and secrets' : 'stops Postern and removes its units'}; if you want that, add --yes`,
    );
  return withLock(async () => {
    const paths = Object.keys(recordedFiles());
    const units = await planOf().then(
      ({ files }) => unitsOf(files),
      () => paths.filter(path => path.startsWith(`${PLACES.systemd}/`)).map(path => basename(path)),
    );
    await runSteps(
      'uninstall',
      { ...options },
      [
        {
          name: 'stop',
          title: 'Stopping',
          run: async () => {
            await systemctl('disable', '--now', 'postern.target', ...[...units].reverse()).catch(() => undefined);
          },
        },
        {
          name: 'files',
          title: 'Removing units and rendered files',
          run: async () => {
            for (const path of paths) rmSync(path, { force: true });
            rmSync(PLACES.rendered, { recursive: true, force: true });
            await systemctl('daemon-reload');
          },
        },
        {
          name: 'data',
          title: options.purge ? 'Deleting data and secrets' : 'Keeping data and secrets',
          run: async () => {
            if (!options.purge) return;
            await run('sh', ['-c', `umount -R ${PLACES.platform}/*/*/* 2>/dev/null || true`]);
            for (const folder of [
              PLACES.postgres,
              PLACES.nats,
              PLACES.natsTls,
              PLACES.caddy,
              PLACES.platform,
              PLACES.postfixQueue,
              PLACES.postfixData,
              PLACES.submissionTls,
              PLACES.secrets,
            ])
              rmSync(folder, { recursive: true, force: true });
          },
        },
      ],
      print,
    );
    print(
      options.purge
        ? 'Removed. Backups are where they were.'
        : `Removed. Data is in ${PLACES.state}, secrets in ${PLACES.secrets}.`,
    );
  });
};
