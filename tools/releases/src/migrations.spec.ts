import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ReleaseContract } from '@postern/compatibility';
import { servicesWithDatabase } from '../../setup/services.mjs';
import { RELEASED, releasedContracts } from './checkout.js';
import { type Migration, migrationDigests, migrationFindings, migrationsOf } from './migrations.js';
import { sqlStatements } from './sql-statements.js';

const ROOT = join(import.meta.dirname, '../../..');
const FIRST: Migration = {
  name: '0001_init',
  script: 'CREATE TABLE deliveries (id uuid PRIMARY KEY, reason text);',
};

const release = (version: string, migrations: readonly Migration[]): ReleaseContract => ({
  ...{ service: 'mill', version, envelope: {}, publishes: {}, consumes: {}, consumers: {}, answers: {}, asks: {} },
  ...{ http: {}, webhooks: {}, migrations: migrationDigests(migrations) },
});
const released = [release('0.2.0', [FIRST])];

const findings = (script: string, releases: readonly ReleaseContract[] = released) =>
  migrationFindings('mill', [FIRST, { name: '0002_next', script }], releases).map(text =>
    text.replace('prisma/mill/migrations/0002_next: ', ''),
  );

describe('the migrations of the checkout', () => {
  it.each(Object.keys(RELEASED))('the newest release of %s can run beside them', service =>
    expect(migrationFindings(service, migrationsOf(ROOT, service), releasedContracts(ROOT))).toEqual([]),
  );

  it.each(servicesWithDatabase())('of %s are found', service =>
    expect(migrationsOf(ROOT, service)[0]?.name).toBe('0001_init'),
  );
});

describe('the running release bears', () => {
  it.each([
    [
      'a new table with anything',
      'CREATE TABLE new (id uuid PRIMARY KEY); ALTER TABLE ONLY new ADD CHECK (id IS NOT NULL); CREATE INDEX ON new (id); DROP TABLE IF EXISTS new'
        .split(';')
        .slice(0, 3)
        .join(';'),
    ],
    ['a column that may be null', 'ALTER TABLE deliveries ADD COLUMN note text'],
    [
      'a column with a constant default',
      'ALTER TABLE "deliveries" ADD COLUMN "note" text NOT NULL DEFAULT \'NOT VALID; DROP TABLE x\'',
    ],
    ['two columns in one statement', 'ALTER TABLE public.deliveries ADD COLUMN a numeric(10, 2), ADD b text'],
    ['an index that is built beside writes', 'CREATE INDEX CONCURRENTLY on_reason ON deliveries (reason)'],
    ['a new default', "ALTER TABLE deliveries ALTER COLUMN reason SET DEFAULT ''"],
    ['storage parameters', 'ALTER TABLE deliveries SET (fillfactor = 50)'],
    ['the validation of a constraint', 'ALTER TABLE deliveries VALIDATE CONSTRAINT sane'],
    ['new rows', "INSERT INTO deliveries VALUES ('drop table deliveries')"],
    ['comments', '-- DROP TABLE deliveries;\n/* ALTER /* nested */ TABLE deliveries DROP COLUMN reason; */'],
  ])('%s', (_, script) => expect(findings(script)).toEqual([]));
});

describe('the running release does not bear', () => {
  const plan =
    ', or write `-- contract: mill@<version> <why>` above the statement, with the release that no longer needs it.';
  const lock = ', or write `-- lock: <why it is short>` above the statement.';

  it.each([
    [
      'a dropped column',
      'ALTER TABLE deliveries DROP COLUMN reason',
      `column reason is dropped. Stop using it in one release, and change it in a later one${plan}`,
    ],
    [
      'a dropped column in other words',
      'alter table if exists only public."deliveries"\n drop if exists "reason" cascade',
      `column reason is dropped. Stop using it in one release, and change it in a later one${plan}`,
    ],
    [
      'a renamed column',
      'ALTER TABLE deliveries RENAME reason TO cause',
      `column reason is renamed. Add a column with the new name, write both, and drop the old one in a later release${plan}`,
    ],
    ['a renamed table', 'ALTER TABLE deliveries RENAME TO calls', `the table is renamed. Keep its name${plan}`],
    [
      'a dropped table',
      'DROP TABLE deliveries',
      `table deliveries is dropped. Stop using it in one release, and change it in a later one${plan}`,
    ],
    [
      'another type',
      'ALTER TABLE deliveries ALTER reason TYPE integer USING 1',
      `column reason changes its type, which may also write the table anew. Add a column with the new type, write both, and drop the old one in a later release${plan}`,
    ],
    [
      'a column that must not be null',
      'ALTER TABLE deliveries ADD COLUMN note text NOT NULL',
      `the new column note must not be null, and the running release does not write it. Give it a default, or let it be null${plan}`,
    ],
    [
      'an old column that must no longer be null',
      'ALTER TABLE deliveries ALTER COLUMN reason SET NOT NULL',
      `column reason must no longer be null, and the running release may write null. Write it in one release, and demand it in a later one${plan}`,
    ],
    [
      'a lost default',
      'ALTER TABLE deliveries ALTER reason DROP DEFAULT',
      `column reason loses its default, which the running release may rely on. Stop using it in one release, and change it in a later one${plan}`,
    ],
    [
      'a default for each row',
      'ALTER TABLE deliveries ADD COLUMN key uuid DEFAULT gen_random_uuid()',
      `the value of the new column key makes PostgreSQL write the table anew. Add the column without it, set the default, and fill the rows in batches from the service${lock}`,
    ],
    [
      'an index that blocks writes',
      'CREATE INDEX on_reason ON deliveries USING btree (reason)',
      `writes to deliveries wait until the index is built. Create it CONCURRENTLY, as the only statement of its migration${lock}`,
    ],
    [
      'changed rows',
      "UPDATE deliveries SET reason = ''",
      `it changes rows of deliveries in one transaction. Change them in batches, from the service${lock}`,
    ],
    ['a lock', 'LOCK TABLE deliveries', `LOCK stops reads or writes. Do it by hand, in a maintenance window${lock}`],
    [
      'what the check does not know',
      'DO $$ BEGIN DROP TABLE deliveries; END $$',
      `the check does not know "do ''". Say why it is safe${plan}`,
    ],
  ])('%s', (_, script, text) => expect(findings(script)).toEqual([text]));

  it('an index that is built beside writes, in a transaction with others', () =>
    expect(findings('CREATE INDEX CONCURRENTLY a ON deliveries (reason); ALTER TABLE deliveries ADD b int')).toEqual([
      expect.stringContaining('as the only statement of its migration'),
    ]));

  it('a constraint that is checked at once, for both reasons', () => {
    expect(findings('ALTER TABLE deliveries ADD CONSTRAINT sane CHECK (reason <> 1)')).toEqual([
      expect.stringMatching(/^sane forbids rows that the running release may write\./),
      expect.stringMatching(/^sane reads the whole table\. Add it NOT VALID/),
    ]);
    expect(findings('ALTER TABLE deliveries ADD CONSTRAINT sane CHECK (reason <> 1) NOT VALID')).toHaveLength(1);
    expect(findings('CREATE UNIQUE INDEX CONCURRENTLY a ON deliveries (reason)')).toHaveLength(1);
    expect(findings('ALTER TABLE deliveries ADD UNIQUE (reason)')).toHaveLength(1);
  });

  it('a script that cannot be read', () =>
    expect(findings("SELECT 'open")).toEqual(['prisma/mill/migrations/0002_next cannot be read: a text has no end.']));

  it('a migration that was changed or removed after its release', () => {
    expect(migrationFindings('mill', [{ ...FIRST, script: 'SELECT 1' }], released)).toEqual([
      'prisma/mill/migrations/0001_init was changed after mill@0.2.0. Restore it, and add another migration.',
    ]);
    expect(migrationFindings('mill', [], released)).toEqual([expect.stringContaining('was removed after mill@0.2.0')]);
  });
});

describe('a plan', () => {
  const drop = 'ALTER TABLE deliveries DROP COLUMN reason;';

  it('names the release that no longer needs what is dropped', () =>
    expect(findings(`-- contract: mill@0.2.0 no longer reads the reason.\n${drop}`)).toEqual([]));

  it('must name a release that exists', () =>
    expect(findings(`-- contract: mill@0.9.0 no longer reads the reason.\n${drop}`)).toEqual([
      'column reason is dropped. Stop using it in one release, and change it in a later one. ' +
        'mill@0.9.0 is not a release of mill in libs/contracts/released: release it first.',
    ]));

  it('is for one statement', () =>
    expect(findings(`-- contract: mill@0.2.0 is right.\n${drop}\nDROP TABLE deliveries;`)).toHaveLength(1));

  it('of a lock says why it is short', () => {
    expect(findings('-- lock: the table has a row for each operator\nUPDATE deliveries SET reason = NULL')).toEqual([]);
    expect(findings('-- lock:\nUPDATE deliveries SET reason = NULL')).toHaveLength(1);
    expect(findings(`-- lock: is short\n${drop}`)).toHaveLength(1);
  });

  it('is not needed for a service without a release, or in a released migration', () => {
    expect(findings(drop, [])).toEqual([]);
    const dropped = { name: '0002_next', script: drop };
    expect(findings(drop, [...released, release('0.3.0', [FIRST, dropped])])).toEqual([]);
  });
});

describe('a script is divided into statements', () => {
  it.each([
    ["SELECT 'a;b'; SELECT 2", ["select ''", 'select 2']],
    ["SELECT E'a\\';b', 'it''s;'", ["select '', ''"]],
    ['SELECT $x$ a; $$ b; $x$, $1', ["select '', $1"]],
    ['SELECT "A;b", "plain"', ['select "A_b", plain']],
    [' ;;\n-- only a comment\n', []],
  ])('%s', (script, expected) => expect(sqlStatements(script).map(({ text }) => text)).toEqual(expected));

  it.each([["SELECT 'a"], ['SELECT "a'], ['SELECT $a$ b'], ['/* a /* b */']])('%s has no end', script =>
    expect(() => sqlStatements(script)).toThrow(/has no end/),
  );
});
