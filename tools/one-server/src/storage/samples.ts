import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { asPostgres } from '../operations/prepare-machine.js';
import { type Model, WITH_DATABASE } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';
import { DAY_MS, type Forecast, forecastOf, type Sample } from './forecast.js';

const SAMPLES = `${PLACES.state}/storage.json`;
const KEPT_MS = 28 * DAY_MS;

const bytesOf = async (path: string): Promise<number> =>
  existsSync(path) ? Number((await run('du', ['-s', '--block-size=1', path])).split('\t')[0]) : 0;

const databaseBytes = async (): Promise<Readonly<Record<string, number>>> => {
  const query = "SELECT datname, pg_database_size(datname) FROM pg_database WHERE datname LIKE 'postern\\_%'";
  const options = ['-d', 'postgres', '--no-psqlrc', '-tA', '-F', ' ', '-c', query];
  const rows = await asPostgres(['psql', '-h', PLACES.postgresSocket, ...options]);
  const sizes = Object.fromEntries(
    rows
      .trim()
      .split('\n')
      .map(line => line.split(' ')),
  );
  return Object.fromEntries(
    WITH_DATABASE.map(service => [
      `database of ${service}`,
      Number(sizes[`postern_${service.replaceAll('-', '_')}`] ?? 0),
    ]),
  );
};

const measure = async (backups: string): Promise<Sample> => ({
  at: new Date().toISOString(),
  bytes: {
    ...(await databaseBytes()),
    'write-ahead log': await bytesOf(`${PLACES.postgres}/pg_wal`),
    NATS: await bytesOf(PLACES.nats),
    'web services and their databases': await bytesOf(PLACES.platform),
    'mail queue': await bytesOf(PLACES.postfixQueue),
    backups: await bytesOf(backups),
    releases: await bytesOf(PLACES.releases),
    logs: await bytesOf('/var/log/journal'),
  },
});

export interface Storage {
  readonly sample: Sample;
  readonly freeBytes: number;
  readonly forecast: Forecast;
}

/** What takes how much now. Records a sample; without PostgreSQL there is none, because a part would be missing. */
export const measureStorage = async ({ configuration }: Model): Promise<Storage> => {
  const sample = await measure(configuration.backup.to);
  const now = new Date();
  const kept = (readJson<readonly Sample[]>(SAMPLES) ?? []).filter(
    ({ at }) => now.getTime() - Date.parse(at) < KEPT_MS && Date.parse(at) <= now.getTime(),
  );
  const samples = [...kept, sample];
  writeJson(SAMPLES, samples);
  const { bavail, bsize } = statfsSync(PLACES.state);
  const freeBytes = bavail * bsize;
  const facts = {
    freeBytes,
    retentionDays: configuration.retention.messages,
    createdAt: statSync(join(PLACES.postgres, 'PG_VERSION')).mtime,
    now,
  };
  return { sample, freeBytes, forecast: forecastOf(samples, facts) };
};
