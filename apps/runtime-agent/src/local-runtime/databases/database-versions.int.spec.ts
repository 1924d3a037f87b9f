import { mkdtempSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { LocalDatabases } from './local-databases.js';
import { findPostgres, majorVersionOf } from './programs.js';
import { stopDatabases } from './stop-databases.js';
import { PLACES, provided, queried } from './testing/provided-database.js';

jest.setTimeout(120_000);

const home = mkdtempSync(join(tmpdir(), 'postern-versions-'));
const databases = new LocalDatabases(home, PLACES, { sandboxFrames: join(home, 'frames'), acceptsKnownHoles: true });
beforeAll(() => chmod(home, 0o755));
afterAll(async () => {
  await databases.retain(new Set());
  await stopDatabases(home);
  await rm(home, { recursive: true, force: true });
});

const MAJOR = "SELECT split_part(current_setting('server_version'), '.', 1) AS version";
const installed = async () =>
  [...new Set(await Promise.all(findPostgres(PLACES).map(({ postgres }) => majorVersionOf(postgres))))].map(String);

it('a database has the major version that was asked for, also after it was started again', async () => {
  for (const version of await installed()) {
    expect(await databases.missingFor('relational', version)).toBeUndefined();
    const made = await provided(databases, 'relational', {}, version);
    expect(await queried(made, [MAJOR])).toEqual([{ version }]);
    await stopDatabases(home);
    await databases.ensure({ ...made, version: undefined });
    expect(await queried(made, [MAJOR])).toEqual([{ version }]);
    expect((await databases.usageOf(made.databaseId))?.serverVersion).toBe(version);
  }
});

it('a version that is not installed is refused with those that are, and the package to install', async () => {
  const versions = (await installed()).sort((one, other) => Number(other) - Number(one));
  expect(await databases.missingFor('relational', '99')).toBe(
    `PostgreSQL 99 is not installed on the machine of the platform; choose one of ${versions.join(', ')}, or have its operator install the package postgresql-99`,
  );
});

it('without a version, a database gets the preferred one', async () => {
  const [preferred] = await installed();
  const made = await provided(databases, 'relational');
  expect(await queried(made, [MAJOR])).toEqual([{ version: preferred }]);
});
