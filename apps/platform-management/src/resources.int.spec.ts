import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  createPlatformKey,
  createProject,
  deleteVariable,
  getProject,
  listPlatformKeys,
  listProjectSecrets,
  listProjects,
  listVariables,
  revokePlatformKey,
  setProjectSecret,
  setProjectSecrets,
  setVariable,
  setVariables,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { ReleaseConfigurations } from './ports/web-services.js';
import { ResealValues } from './reactions/reseal-values.js';
import { AccountsFixture, codeOf, OPERATOR } from './testing/accounts-fixture.js';

let house: AccountsFixture;
const lines: string[] = [];
const write = (fields: object, message: string): void => {
  lines.push(`${message} ${inspect(fields, { depth: 12, maxStringLength: null })}`);
};

beforeAll(async () => {
  house = await AccountsFixture.start();
  const log = { debug: write, info: write, warn: write, error: write };
  await house.addReplica(OPERATOR, { log, writeLine: line => lines.push(line), flush: () => undefined });
  await house.addReplica(OPERATOR);
  const { id, workspaces } = await house.newUser();
  user = { user_id: id, workspace_id: String(workspaces[0]?.id) };
  stranger = (await house.newUser()).id;
}, 120_000);
afterAll(() => house?.stop());

let user: { readonly user_id: string; readonly workspace_id: string };
let stranger: string;
let project_id: string;
let service: { readonly user_id: string; readonly web_service_id: string };

beforeEach(async () => {
  project_id = (await ask(createProject, { ...user, name: 'Shop' })).id;
  service = await newService();
});

const ask: AccountsFixture['client']['request'] = (contract, request) => house.client.request(contract, request);

/** A web service as the read model shows it; where it answers would be the load balancer's to say. */
const newService = async () => {
  const id = uuidv7();
  await house.query(
    `INSERT INTO web_services (id, user_id, project_id, name, git_repository_url, port, min_instances, max_instances,
       environment, status, created_at)
     VALUES ($1, $2, $3, 'web', 'https://example.com/web.git', 3000, 1, 1, 'production', 'created', now())`,
    [id, user.user_id, project_id],
  );
  return { user_id: user.user_id, web_service_id: id };
};
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
const newKey = (scope: 'read' | 'write', more: object = {}) =>
  ask(createPlatformKey, { ...user, name: 'CI', scope, ...more });
const call = (key: string, required: 'read' | 'write' = 'read') =>
  ask(admitPlatformCall, { key_hash: hashOf(key), required });

describe('projects', () => {
  it('are listed oldest first and belong to their creator alone', async () => {
    const second = await ask(createProject, { ...user, name: 'Blog', description: 'Words' });

    expect((await ask(listProjects, { user_id: user.user_id })).map(({ name }) => name).slice(-2)).toEqual([
      'Shop',
      'Blog',
    ]);
    expect(await ask(getProject, { user_id: user.user_id, project_id: second.id })).toEqual(second);
    expect(await ask(listProjects, { user_id: stranger })).toEqual([]);
    expect(await codeOf(ask(getProject, { user_id: stranger, project_id }))).toBe('project_not_found');
  });
});

describe('a platform key', () => {
  it('lets its user in, with what the key may do', async () => {
    const { key, ...made } = await newKey('read', { expires_at: '2099-01-01T00:00:00Z' });

    expect(await call(key)).toEqual({
      caller: { ...user, key: { ...made, expiry: '2099-01-01T00:00:00.000Z' } },
      rate_limit: { limit: 30, remaining: 29, reset_s: 60 },
    });
  });

  it('that may only read is refused where writing is needed, and the call counts', async () => {
    const { key } = await newKey('read');
    const refusal = await call(key, 'write').catch((error: unknown) => error);

    expect(refusal).toMatchObject({ code: 'insufficient_scope', details: { required: 'write', actual: 'read' } });
    expect((await call(key)).rate_limit?.remaining).toBe(28);
  });

  it('is unknown in every replica as soon as it is revoked', async () => {
    const { id: key_id, key } = await newKey('write');
    await call(key);
    const byStranger = { ...user, user_id: stranger, key_id };
    expect(await codeOf(ask(revokePlatformKey, byStranger))).toBe('platform_key_not_found');

    await ask(revokePlatformKey, { ...user, key_id });

    const answers = await Promise.all(Array.from({ length: 8 }, () => codeOf(call(key))));
    expect(new Set(answers)).toEqual(new Set(['platform_key_invalid']));
    expect((await ask(listPlatformKeys, user)).map(({ id }) => id)).not.toContain(key_id);
  });

  it('is refused once it has expired', async () => {
    const { key } = await newKey('read', { expires_at: new Date(Date.now() + 700).toISOString() });
    expect(await codeOf(call(key))).toBeUndefined();

    await waitFor(async () => (await codeOf(call(key))) === 'platform_key_invalid', { describe: 'the expiry' });
  });

  it('may be used 30 times a minute over all replicas, each call counted once', async () => {
    const { key } = await newKey('read');
    const answers = await Promise.all(Array.from({ length: 100 }, () => codeOf(call(key))));

    expect(answers.filter(code => code === undefined)).toHaveLength(30);
    expect(answers.filter(code => code === 'rate_limit_reached')).toHaveLength(70);
  });

  it('has a minute that begins with its first call', async () => {
    const { id, key } = await newKey('read');
    for (let n = 0; n < 30; n++) await call(key);
    expect(await codeOf(call(key))).toBe('rate_limit_reached');

    await house.query(`UPDATE platform_call_counts SET began_at = began_at - interval '1 minute' WHERE key_id = $1`, [
      id,
    ]);

    expect((await call(key)).rate_limit).toEqual({ limit: 30, remaining: 29, reset_s: 60 });
  });
});

describe('variables and secrets', () => {
  it('are read by key, the secret ones masked', async () => {
    const { variable } = await ask(setVariable, { ...service, key: 'TOKEN', value: 's3cr3t', is_secret: true });
    await ask(setVariable, { ...service, key: 'COLOUR', value: 'red' });

    expect(variable.value).toBe('********');
    expect(await ask(listVariables, service)).toMatchObject([
      { key: 'COLOUR', value: 'red', is_secret: false },
      { key: 'TOKEN', value: '********', is_secret: true },
    ]);
  });

  it('set again keep their id', async () => {
    const first = await ask(setVariable, { ...service, key: 'COLOUR', value: 'red' });
    const second = await ask(setVariable, { ...service, key: 'COLOUR', value: 'green' });

    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.variable).toEqual({ ...first.variable, value: 'green' });
  });

  it('in bulk are all set or none, also where many do it at once', async () => {
    const twice = [
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
    ];
    expect(await codeOf(ask(setVariables, { ...service, variables: twice }))).toBe('invalid_input');
    expect(await ask(listVariables, service)).toEqual([]);

    const results = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        ask(setVariables, {
          ...service,
          variables: [
            { key: 'SHARED', value: String(n) },
            { key: `OWN_${n}`, value: '' },
          ],
        }),
      ),
    );

    expect(results.filter(({ created }) => created.includes('SHARED'))).toHaveLength(1);
    expect(await ask(listVariables, service)).toHaveLength(9);
  });

  it('whose keys mean something to JavaScript are keys like any other', async () => {
    for (const key of ['constructor', '__proto__', 'toString'])
      await ask(setProjectSecret, {
        user_id: user.user_id,
        project_id,
        key,
        value: key,
        scope: 'staging',
        is_secret: false,
      });

    const secrets = await ask(listProjectSecrets, { user_id: user.user_id, project_id });
    expect(Object.keys(secrets).sort()).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it('that are deleted are forgotten', async () => {
    const { variable } = await ask(setVariable, { ...service, key: 'GONE', value: 'soon' });
    const deletion = { ...service, var_id: variable.id };

    expect(await ask(deleteVariable, deletion)).toEqual({ id: variable.id, deleted: true });
    expect(await house.query('SELECT 1 FROM sealed_values WHERE id = $1', [variable.id])).toEqual([]);
    expect(await codeOf(ask(deleteVariable, deletion))).toBe('variable_not_found');
  });

  it('of a stranger’s service or project do not exist', async () => {
    const user_id = stranger;
    expect(await codeOf(ask(listVariables, { ...service, user_id }))).toBe('web_service_not_found');
    expect(await codeOf(ask(listProjectSecrets, { user_id, project_id }))).toBe('project_not_found');
  });

  it('make the configuration of a service: secrets of its scope, and its own variables over them', async () => {
    const owner = { user_id: user.user_id, project_id };
    await ask(setProjectSecrets, {
      ...owner,
      secrets: [
        { key: 'TOKEN', value: 'of the project', scope: 'production' },
        { key: 'COLOUR', value: 'of the project', scope: 'production' },
        { key: 'TOKEN', value: 'of staging', scope: 'staging' },
      ],
    });
    await ask(setVariable, { ...service, key: 'COLOUR', value: 'its own', is_secret: false });

    expect(await configurations().current(service.web_service_id, project_id, 'production')).toEqual({
      environment: { TOKEN: 'of the project', COLOUR: 'its own' },
      secrets: ['of the project'],
    });
  });
});

describe('at rest', () => {
  const VALUE = 'a value that nobody may find';

  it('no value and no key lies readable in the database, or reaches the log', async () => {
    const { key } = await newKey('write');
    await ask(setVariable, { ...service, key: 'TOKEN', value: VALUE, is_secret: true });
    await call(key);

    const everything = await house.query<{ row: string }>(
      `SELECT e::text AS row FROM event_store.events e UNION ALL SELECT s::text FROM sealed_values s
       UNION ALL SELECT k::text FROM platform_keys k UNION ALL SELECT v::text FROM named_values v`,
    );
    const found = [...everything.map(({ row }) => row), ...lines].filter(
      text => text.includes(VALUE) || text.includes(key),
    );
    expect(found).toEqual([]);
  });

  it('a sealed value that was moved to another row does not open', async () => {
    const [one, two] = [
      await ask(setVariable, { ...service, key: 'ONE', value: '1', is_secret: false }),
      await ask(setVariable, { ...service, key: 'TWO', value: '2', is_secret: false }),
    ];
    await house.query(
      'UPDATE sealed_values SET sealed = (SELECT sealed FROM sealed_values WHERE id = $1) WHERE id = $2',
      [one.variable.id, two.variable.id],
    );
    expect(await codeOf(ask(listVariables, service))).toMatch(/internal/);
    await house.query('DELETE FROM sealed_values WHERE id = $1', [two.variable.id]);
  });

  it('values lie under a new key soon after it was put in front of the old one', async () => {
    await ask(setVariable, { ...service, key: 'TOKEN', value: VALUE, is_secret: true });
    const rotated = `second:${randomBytes(32).toString('base64')},${house.environment['POSTERN_ENCRYPTION_KEYS']}`;
    const replica = await house.addReplica(OPERATOR, undefined, { POSTERN_ENCRYPTION_KEYS: rotated });

    await replica.app.get(ResealValues, { strict: false }).run(new AbortController().signal);

    expect(await house.query(`SELECT 1 FROM sealed_values WHERE sealed NOT LIKE 'second:%'`)).toEqual([]);
    const opened = await replica.app
      .get(ReleaseConfigurations, { strict: false })
      .current(service.web_service_id, project_id, 'production');
    expect(opened.environment).toEqual({ TOKEN: VALUE });
  });
});

const configurations = () => {
  const [replica] = house.replicas;
  if (!replica) throw new Error('no replica runs');
  return replica.app.get(ReleaseConfigurations, { strict: false });
};
