import { existsSync, statfsSync } from 'node:fs';
import { planOf } from '../applying/plan.js';
import { readJson, writeJson } from '../machine/files.js';
import { run } from '../machine/run.js';
import { asPostgres } from '../operations/prepare-machine.js';
import { WITH_DATABASE } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';

type Print = (line: string) => void;

/** Bytes of each part at a time. */
export interface Sample {
  readonly at: string;
  readonly bytes: Readonly<Record<string, number>>;
}

const SAMPLES = `${PLACES.state}/storage.json`;
const DAY_MS = 86_400_000;
const WINDOW_MS = 7 * DAY_MS;

const bytesOf = async (path: string): Promise<number> =>
  existsSync(path) ? Number((await run('du', ['-s', '--block-size=1', path])).split('\t')[0]) : 0;

const databaseBytes = async (): Promise<Readonly<Record<string, number>>> => {
  const query = "SELECT datname, pg_database_size(datname) FROM pg_database WHERE datname LIKE 'postern\\_%'";
  const rows = await asPostgres([
    'psql',
    '-h',
    PLACES.postgresSocket,
    '-d',
    'postgres',
    '--no-psqlrc',
    '-tA',
    '-F',
    ' ',
    '-c',
    query,
  ]).catch(() => '');
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

const sumOf = ({ bytes }: Sample): number => Object.values(bytes).reduce((sum, each) => sum + each, 0);

/** Bytes a day, between the oldest sample of the last seven days and now; undefined if they are less than a day apart. */
export const growthOf = (samples: readonly Sample[]): number | undefined => {
  const last = samples.at(-1);
  if (!last) return undefined;
  const first = samples.find(({ at }) => Date.parse(last.at) - Date.parse(at) <= WINDOW_MS);
  const days = first ? (Date.parse(last.at) - Date.parse(first.at)) / DAY_MS : 0;
  return first && days >= 1 ? (sumOf(last) - sumOf(first)) / days : undefined;
};

const size = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** `storage`: what takes how much, how it grows, and when the disk will be full. Each call records a sample. */
export const storage = async (print: Print): Promise<void> => {
  const { model } = await planOf();
  const sample = await measure(model.configuration.backup.to);
  const kept = (readJson<readonly Sample[]>(SAMPLES) ?? []).filter(
    ({ at }) => Date.now() - Date.parse(at) < 4 * WINDOW_MS,
  );
  const samples = [...kept, sample];
  writeJson(SAMPLES, samples);
  for (const [part, bytes] of Object.entries(sample.bytes).sort(([, one], [, other]) => other - one))
    print(`${size(bytes).padStart(10)}  ${part}`);
  const { bavail, bsize } = statfsSync(PLACES.state);
  const free = bavail * bsize;
  print(`${size(free).padStart(10)}  free`);
  const growth = growthOf(samples);
  if (growth === undefined) print('The growth is shown when this command ran on two days.');
  else if (growth <= 0) print('It does not grow.');
  else
    print(
      `It grows by ${size(growth)} a day: full on ${new Date(Date.now() + (free / growth) * DAY_MS).toISOString().slice(0, 10)}.`,
    );
};
