import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@postern/contracts';
import type { RunningPostern } from '@postern/local-start';
import pg from 'pg';

type ServiceName = (typeof SERVICE_NAMES)[number];

interface Found {
  readonly name: string;
  readonly text: string;
}

/** The given texts (lower case) that rows of a service's database contain, with their tables. */
const textsIn = async (
  { wiring }: RunningPostern,
  service: ServiceName,
  texts: readonly string[],
): Promise<readonly Found[]> => {
  const client = new pg.Client({ connectionString: wiring.databaseUrl(service) });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: Found[] = [];
    for (const { name } of rows) {
      const inTable = await client.query<{ text: string }>(
        `SELECT DISTINCT wanted.text FROM ${name} AS t, unnest($1::text[]) AS wanted (text) WHERE strpos(lower(t::text), wanted.text) > 0`,
        [texts],
      );
      found.push(...inTable.rows.map(({ text }) => ({ name, text })));
    }
    return found;
  } finally {
    await client.end();
  }
};

/** Tables of a service's database with a row that contains the text. */
export const tablesWith = async (postern: RunningPostern, service: ServiceName, text: string): Promise<string[]> =>
  (await textsIn(postern, service, [text])).map(({ name }) => name);

/** Places that still contain any of the texts: tables of all databases, and files of JetStream. */
export const placesOf = async (postern: RunningPostern, texts: readonly string[]): Promise<string[]> => {
  const wanted = [...new Set(texts.map(text => text.toLowerCase()))];
  const found: string[] = [];
  for (const service of SERVICE_NAMES)
    found.push(...(await textsIn(postern, service, wanted)).map(({ name, text }) => `${service} ${name}: ${text}`));
  const folder = postern.home.path('nats');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name)).toString('utf8').toLowerCase();
    found.push(...wanted.filter(text => bytes.includes(text)).map(text => `${entry.name}: ${text}`));
  }
  return found;
};
