import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createProject,
  deleteVariable,
  getProject,
  listProjectSecrets,
  listProjects,
  listVariables,
  setProjectSecret,
  setProjectSecrets,
  setVariable,
  setVariables,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { codeOf, OPERATOR } from '../../testing/accounts-fixture.js';
import type { Caller, WebServiceOf } from '../../testing/caller.js';
import { ResourcesFixture, refusalOf } from '../../testing/resources-fixture.js';
import { ReleaseConfigurations } from './ports.js';
import { ReencryptValues } from './reencrypt-values.js';

let resources: ResourcesFixture;
beforeAll(async () => {
  resources = await ResourcesFixture.start();
  ({ fixture, user, stranger, request } = resources);
}, 120_000);
afterAll(() => resources?.stop());

let fixture: ResourcesFixture['fixture'];
let user: ResourcesFixture['user'];
let stranger: Caller;
let request: ResourcesFixture['request'];
let project_id: string;
let service: WebServiceOf;

beforeEach(async () => {
  project_id = await resources.newProject();
  service = await resources.newService(project_id);
});

describe('projects', () => {
  it('are listed oldest first and are visible to their creator only', async () => {
    const second = await request(createProject, { ...user, name: 'Blog', description: 'Words' });

    expect((await request(listProjects, user)).map(({ name }) => name).slice(-2)).toEqual(['Shop', 'Blog']);
    expect(await request(getProject, { ...user, project_id: second.id })).toEqual(second);
    expect(await request(listProjects, stranger)).toEqual([]);
    expect(await codeOf(request(getProject, { ...stranger, project_id }))).toBe('project_not_found');
  });
});

describe('variables and secrets', () => {
  it('are listed by key, with secret values masked', async () => {
    const { variable } = await request(setVariable, { ...service, key: 'TOKEN', value: 's3cr3t', is_secret: true });
    await request(setVariable, { ...service, key: 'COLOUR', value: 'red' });

    expect(variable.value).toBe('********');
    expect(await request(listVariables, service)).toMatchObject([
      { key: 'COLOUR', value: 'red', is_secret: false },
      { key: 'TOKEN', value: '********', is_secret: true },
    ]);
  });

  it('keep their id when they are set again', async () => {
    const first = await request(setVariable, { ...service, key: 'COLOUR', value: 'red' });
    const second = await request(setVariable, { ...service, key: 'COLOUR', value: 'green' });

    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.variable).toEqual({ ...first.variable, value: 'green' });
  });

  it('are set atomically in bulk, also concurrently', async () => {
    const twice = [
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
    ];
    const refusal = await refusalOf(request(setVariables, { ...service, variables: twice }));
    expect(refusal.code).toBe('invalid_input');
    expect(refusal.message).toMatch(/^variables\[1\]\.key: /);
    expect(await request(listVariables, service)).toEqual([]);

    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        request(setVariables, {
          ...service,
          variables: [
            { key: 'SHARED', value: String(n) },
            { key: `OWN_${n}`, value: '' },
          ],
        }),
      ),
    );

    expect(results.filter(({ created }) => created.includes('SHARED'))).toHaveLength(1);
    expect(await request(listVariables, service)).toHaveLength(9);
  });

  it('that become secret are masked immediately, also while the read model is behind', async () => {
    const { variable } = await request(setVariable, { ...service, key: 'TOKEN', value: 'harmless', is_secret: false });
    const sealed = () => fixture.query('SELECT sealed FROM sealed_values WHERE id = $1', [variable.id]);
    const before = await sealed();
    // Projections do not read past the oldest open write transaction, so the read model stays behind.
    const writer = await fixture.pool.connect();
    await writer.query('BEGIN');
    await writer.query('SELECT pg_current_xact_id()');
    const setting = request(setVariable, { ...service, key: 'TOKEN', value: 's3cr3t', is_secret: true });
    await waitFor(async () => JSON.stringify(await sealed()) !== JSON.stringify(before), { describe: 'the new value' });

    const listed = await request(listVariables, service);
    const { secrets } = await configurations().current(service.web_service_id, project_id, 'production');
    await writer.query('ROLLBACK');
    writer.release();
    await setting;

    expect(listed).toMatchObject([{ key: 'TOKEN', value: '********', is_secret: true }]);
    expect(secrets).toEqual(['s3cr3t']);
  });

  it('can have the names of JavaScript properties as keys', async () => {
    for (const key of ['constructor', '__proto__', 'toString'])
      await request(setProjectSecret, {
        ...user,
        project_id,
        key,
        value: key,
        scope: 'staging',
        is_secret: false,
      });

    const secrets = await request(listProjectSecrets, { ...user, project_id });
    expect(Object.keys(secrets).sort()).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it('are not stored after their deletion', async () => {
    const { variable } = await request(setVariable, { ...service, key: 'GONE', value: 'soon' });
    const deletion = { ...service, var_id: variable.id };

    expect(await request(deleteVariable, deletion)).toEqual({ id: variable.id, deleted: true });
    expect(await fixture.query('SELECT 1 FROM sealed_values WHERE id = $1', [variable.id])).toEqual([]);
    expect(await codeOf(request(deleteVariable, deletion))).toBe('variable_not_found');
  });

  it('of another user’s web service or project are not found', async () => {
    expect(await codeOf(request(listVariables, { ...service, ...stranger }))).toBe('web_service_not_found');
    expect(await codeOf(request(listProjectSecrets, { ...stranger, project_id }))).toBe('project_not_found');
  });

  it('make up the configuration of a web service: project secrets of its scope, overridden by its variables', async () => {
    const owner = { ...user, project_id };
    await request(setProjectSecrets, {
      ...owner,
      secrets: [
        { key: 'TOKEN', value: 'of the project', scope: 'production' },
        { key: 'COLOUR', value: 'of the project', scope: 'production' },
        { key: 'TOKEN', value: 'of staging', scope: 'staging' },
      ],
    });
    await request(setVariable, { ...service, key: 'COLOUR', value: 'its own', is_secret: false });

    expect(await configurations().current(service.web_service_id, project_id, 'production')).toEqual({
      environment: { TOKEN: 'of the project', COLOUR: 'its own' },
      secrets: ['of the project'],
      sources: { TOKEN: 'project-secret' },
    });
  });

  it('of a deleted configuration are deleted, and no others', async () => {
    const [one, two] = [uuidv7(), uuidv7()];
    await request(setVariable, { ...service, key: 'COLOUR', value: 'red', is_secret: false });
    for (const id of [one, two])
      await configurations().seal(service.web_service_id, id, {
        environment: { COLOUR: 'red' },
        secrets: [],
        sources: {},
      });
    for (let times = 0; times < 2; times++) await configurations().delete([one]);

    await expect(configurations().open(one)).rejects.toThrow(`there is no configuration ${one}`);
    expect(await configurations().open(two)).toEqual({ environment: { COLOUR: 'red' }, secrets: [], sources: {} });
    const { environment } = await configurations().current(service.web_service_id, project_id, 'production');
    expect(environment).toEqual({ COLOUR: 'red' });
  });
});

describe('at rest', () => {
  const VALUE = 'a value that nobody may find';

  it('no value and no platform key is readable in the database or in the log', async () => {
    const { key } = await resources.newKey('write');
    const secret = { ...user, project_id, key: 'OF_PROJECT', scope: 'production' } as const;
    await request(setVariable, { ...service, key: 'TOKEN', value: VALUE, is_secret: true });
    await request(setVariable, { ...service, key: 'PLAIN', value: VALUE, is_secret: false });
    await request(setVariables, { ...service, variables: [{ key: 'BULK', value: VALUE }] });
    await request(setProjectSecret, { ...secret, value: VALUE });
    await codeOf(request(setVariables, { ...service, variables: Array(2).fill({ key: 'TWICE', value: VALUE }) }));
    await codeOf(request(setVariable, { ...service, key: 'NOT A KEY', value: VALUE }));
    await configurations().seal(
      service.web_service_id,
      uuidv7(),
      await configurations().current(service.web_service_id, project_id, 'production'),
    );
    await resources.call(key);

    const everything = await fixture.query<{ row: string }>(
      `SELECT e::text AS row FROM event_store.events e UNION ALL SELECT s::text FROM sealed_values s
       UNION ALL SELECT k::text FROM platform_keys k UNION ALL SELECT v::text FROM named_values v`,
    );
    const found = [...everything.map(({ row }) => row), ...resources.lines].filter(
      text => text.includes(VALUE) || text.includes(key),
    );
    expect(found).toEqual([]);
  });

  it('a sealed value that was moved to another row cannot be decrypted', async () => {
    const [one, two] = [
      await request(setVariable, { ...service, key: 'ONE', value: '1', is_secret: false }),
      await request(setVariable, { ...service, key: 'TWO', value: '2', is_secret: false }),
    ];
    await fixture.query(
      'UPDATE sealed_values SET sealed = (SELECT sealed FROM sealed_values WHERE id = $1) WHERE id = $2',
      [one.variable.id, two.variable.id],
    );
    expect(await codeOf(request(listVariables, service))).toMatch(/internal/);
    await fixture.query('DELETE FROM sealed_values WHERE id = $1', [two.variable.id]);
  });

  it('values are re-encrypted after a new key is added before the old one', async () => {
    await request(setVariable, { ...service, key: 'TOKEN', value: VALUE, is_secret: true });
    const replica = await replicaWithNewKey('second');

    await replica.app.get(ReencryptValues, { strict: false }).run(new AbortController());

    expect(await fixture.query(`SELECT 1 FROM sealed_values WHERE sealed NOT LIKE 'second:%'`)).toEqual([]);
    const opened = await replica.app
      .get(ReleaseConfigurations, { strict: false })
      .current(service.web_service_id, project_id, 'production');
    expect(opened.environment).toEqual({ TOKEN: VALUE });
  });

  it('a damaged value is reported by its id and does not prevent the re-encryption of others', async () => {
    const [damaged, whole] = [
      await request(setVariable, { ...service, key: 'DAMAGED', value: VALUE, is_secret: true }),
      await request(setVariable, { ...service, key: 'WHOLE', value: VALUE, is_secret: true }),
    ];
    await fixture.query(`UPDATE sealed_values SET sealed = 'first:' || repeat('A', 80) WHERE id = $1`, [
      damaged.variable.id,
    ]);
    const replica = await replicaWithNewKey('third');

    const reencrypting = replica.app.get(ReencryptValues, { strict: false }).run(new AbortController());

    await expect(reencrypting).rejects.toThrow(damaged.variable.id);
    const [row] = await fixture.query<{ sealed: string }>('SELECT sealed FROM sealed_values WHERE id = $1', [
      whole.variable.id,
    ]);
    expect(row?.sealed).toMatch(/^third:/);
    await fixture.query('DELETE FROM sealed_values WHERE id = $1', [damaged.variable.id]);
  });
});

/** Starts a replica whose first encryption key is new; all earlier keys stay configured after it. */
const replicaWithNewKey = (id: string) => {
  const keys = [
    `${id}:${randomBytes(32).toString('base64')}`,
    ...newKeys,
    fixture.environment['POSTERN_ENCRYPTION_KEYS'],
  ];
  newKeys.unshift(String(keys[0]));
  return fixture.addReplica(OPERATOR, undefined, { POSTERN_ENCRYPTION_KEYS: keys.join(',') });
};
const newKeys: string[] = [];

const configurations = () => {
  const [replica] = fixture.replicas;
  if (!replica) throw new Error('no replica runs');
  return replica.app.get(ReleaseConfigurations, { strict: false });
};
