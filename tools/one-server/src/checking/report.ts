import type { SystemReport } from '@postern/contracts';
import type { Plan } from '../applying/plan.js';
import { statusOf } from '../commands/processes.js';
import { records } from '../dns/records.js';
import { readJson, writeJson } from '../machine/files.js';
import { PLACES } from '../rendering/places.js';
import { unitsOf } from '../rendering/render.js';
import type { Storage } from '../storage/samples.js';
import type { Lines } from './lines.js';

/** Writes what was checked, with the state of the server, for the dashboard. */
export const writeReport = async (
  { model, files }: Plan,
  lines: Lines,
  storage: Storage | undefined,
): Promise<void> => {
  const { configuration } = model;
  const status = await statusOf(configuration, unitsOf(files));
  const earlier = readJson<SystemReport>(PLACES.report);
  const report: SystemReport = {
    checked_at: new Date().toISOString(),
    version: status.version,
    url: status.url,
    units: status.units.map(({ unit, state, active, restarts, memory }) => ({ unit, state, active, restarts, memory })),
    disk: status.disk,
    storage:
      storage === undefined
        ? (earlier?.storage ?? null)
        : {
            parts: Object.entries(storage.sample.bytes)
              .map(([name, bytes]) => ({ name, bytes }))
              .sort((one, other) => other.bytes - one.bytes),
            free_bytes: storage.freeBytes,
            growth_bytes_per_day: storage.forecast.growth ?? null,
            full_at: storage.forecast.fullAt?.toISOString() ?? null,
          },
    certificate: status.certificate
      ? { valid_until: status.certificate.validUntil, issuer: status.certificate.issuer }
      : null,
    backup: status.backup
      ? { created_at: status.backup.createdAt, proven_at: status.backup.provenAt ?? null, path: status.backup.path }
      : null,
    interrupted: status.interrupted,
    lines: Object.entries(lines).map(([check, line]) => ({ check, ...line })),
    records: (await records(configuration)).map(({ name, type, value, purpose }) => ({ name, type, value, purpose })),
  };
  writeJson(PLACES.report, report);
};
