import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  attachDatabase,
  createProject,
  createWebService,
  deleteDatabase,
  detachDatabase,
  listDatabaseAttachments,
  listVariables,
  rotateDatabase,
  setVariable,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { connected } from '../testing/database-client.js';
import { type CreatedDatabase, DatabasesFixture } from '../testing/databases-fixture.js';
import { refusalCode as codeOf } from '../testing/refusal-code.js';
import { ReleaseConfigurations } from '../web-services/environment/ports.js';
import { WebServiceRepository } from '../web-services/services/web-service-repository.js';

jest.setTimeout(180_000);

let fixture: DatabasesFixture;
let caller: { user_id: string; workspace_id: string };
let project_id: string;
let web_service_id: string;
let database: CreatedDatabase;
beforeAll(async () => {
  fixture = await DatabasesFixture.start();
}, 180_000);
afterAll(() => fixture?.stop());

beforeEach(async () => {
  caller = { user_id: uuidv7(), workspace_id: uuidv7() };
  ({ id: project_id } = await fixture.client.request(createProject, { ...caller, name: 'Shop' }));
  web_service_id = await newService();
  database = await fixture.create({ workspace_id: caller.workspace_id });
});

const newService = async () => {
  const git_repository_url = 'https://git.example.com/shop.git';
  const request = { ...caller, name: 'storefront', project_id, git_repository_url, port: 3000 };
  return (await fixture.client.request(createWebService, request)).id;
};
const attach = (request: { variable?: string; workspace_id?: string; web_service_id?: string } = {}) =>
  fixture.client.request(attachDatabase, { ...caller, database_id: database.id, web_service_id, ...request });
const list = () => fixture.client.request(listDatabaseAttachments, { ...caller, database_id: database.id });
const configurations = () => fixture.part(ReleaseConfigurations);
const current = () => configurations().current(web_service_id, project_id, 'production');
const set = (key: string, value: string) =>
  fixture.client.request(setVariable, { ...caller, web_service_id, key, value });

describe('an attached database', () => {
  it('gives the instances of the web service its connection URL, as a secret', async () => {
    const attachment = await attach();
    expect(attachment).toMatchObject({ database_id: database.id, web_service_id, variable: 'DATABASE_URL' });
    const { environment, secrets } = await current();
    const url = new URL(environment['DATABASE_URL']!);
    expect(url.username).toBe(`attached_${attachment.id.replaceAll('-', '')}`);
    const { host, pathname } = new URL(database.connection_url);
    expect(url).toMatchObject({ protocol: 'postgresql:', host, pathname });
    expect(secrets).toEqual([environment['DATABASE_URL'], url.password]);
    expect(url.password).not.toBe(new URL(database.connection_url).password);
    expect(await list()).toEqual([{ ...attachment, web_service_name: 'storefront' }]);
  });

  it('is not in the list of variables', async () => {
    await attach({ variable: 'ORDERS_URL' });
    const read = await fixture.client.request(listVariables, { ...caller, web_service_id });
    expect(JSON.stringify([read, await list()])).not.toContain(new URL(database.connection_url).password);
    expect(read).toEqual([]);
  });

  it('is detached on request and when the database is deleted', async () => {
    const { id: attachment_id } = await attach();
    const detach = { ...caller, database_id: database.id, attachment_id };
    expect(await fixture.client.request(detachDatabase, detach)).toEqual({ id: attachment_id, deleted: true });
    expect(await codeOf(fixture.client.request(detachDatabase, detach))).toBe('attachment_not_found');
    expect(await current()).toEqual({ environment: {}, secrets: [], sources: {} });

    await attach();
    await fixture.client.request(deleteDatabase, { workspace_id: caller.workspace_id, database_id: database.id });
    expect(await current()).toEqual({ environment: {}, secrets: [], sources: {} });
    expect(await codeOf(attach())).toBe('database_not_found');
  });

  it('cannot use a variable that the web service already has', async () => {
    await set('DATABASE_URL', 'postgresql://elsewhere');
    expect(await codeOf(attach())).toBe('variable_in_use');
    await attach({ variable: 'ORDERS_URL' });
    expect(await codeOf(attach({ variable: 'ORDERS_URL' }))).toBe('variable_in_use');
    await set('ORDERS_URL', 'set later');
    expect((await current()).environment).toEqual({
      DATABASE_URL: 'postgresql://elsewhere',
      ORDERS_URL: 'set later',
    });
  });

  it.each(['PORT', 'PATH', 'DISK_PATH', 'POSTERN_INSTANCE'])(
    'cannot use the variable %s, which is reserved',
    async variable => {
      await expect(attach({ variable })).rejects.toMatchObject({
        code: 'variable_reserved',
        message: `the variable ${variable} is reserved for Postern; choose another name`,
      });
      expect(await list()).toEqual([]);
    },
  );

  it('is in the workspace of the web service', async () => {
    const workspace_id = uuidv7();
    expect(await codeOf(attach({ workspace_id }))).toBe('database_not_found');
    const { id } = await fixture.create({ workspace_id });
    const request = { user_id: caller.user_id, workspace_id, database_id: id, web_service_id };
    expect(await codeOf(fixture.client.request(attachDatabase, request))).toBe('web_service_not_found');
    expect(await codeOf(attach({ web_service_id: uuidv7() }))).toBe('web_service_not_found');
  });
});

describe('the access of a detached web service', () => {
  it('ends, while other web services and the owner keep theirs', async () => {
    await fixture.run(database, caller.workspace_id);
    const { id: attachment_id } = await attach();
    const detached = (await current()).environment['DATABASE_URL']!;
    const other = await newService();
    await attach({ web_service_id: other });
    const kept = (await configurations().current(other, project_id, 'production')).environment['DATABASE_URL']!;
    await Promise.all([connects(detached), connects(kept)]);
    await fixture.client.request(detachDatabase, { ...caller, database_id: database.id, attachment_id });
    await expect(connects(detached)).rejects.toThrow('password');
    await Promise.all([connects(kept), connects(database.connection_url)]);
  });
});

describe('a new password', () => {
  it('works when the reply arrives, is passed to attached web services, and replaces the old password', async () => {
    await fixture.run(database, caller.workspace_id);
    await attach();
    const of = { workspace_id: caller.workspace_id, database_id: database.id };
    const [rotated] = await Promise.all([fixture.client.request(rotateDatabase, of), untilApplied()]);
    expect(rotated).toMatchObject({ id: database.id, restarting: [] });
    expect(new URL(rotated.connection_url).password).not.toBe(new URL(database.connection_url).password);
    await connects(rotated.connection_url);
    await expect(connects(database.connection_url)).rejects.toThrow('password');
    await connects((await current()).environment['DATABASE_URL']!);

    await fixture.restart(async () => undefined);
    await fixture.reconcile();
    await connects(rotated.connection_url);
  });

  it('is passed to a web service whose first release begins with the earlier password', async () => {
    await fixture.run(database, caller.workspace_id);
    await attach();
    await beginFirstRelease();
    const of = { workspace_id: caller.workspace_id, database_id: database.id };
    const [rotated] = await Promise.all([fixture.client.request(rotateDatabase, of), untilApplied()]);
    expect(rotated.restarting).toEqual([web_service_id]);
    const { rolling, requested } = await webServices().stateOf(web_service_id);
    expect(rolling).toBeDefined();
    expect(requested).toMatchObject({ kind: 'restart', ifServing: true });
  });

  it('is in the configuration of a rollback, instead of the password at that time', async () => {
    await fixture.run(database, caller.workspace_id);
    const { id: attachment_id } = await attach();
    await set('COLOUR', 'red');
    const earlier = uuidv7();
    await configurations().seal(web_service_id, earlier, await current());
    await set('COLOUR', 'blue');
    const of = { workspace_id: caller.workspace_id, database_id: database.id };
    const [{ connection_url }] = await Promise.all([fixture.client.request(rotateDatabase, of), untilApplied()]);
    const expected = { COLOUR: 'red', DATABASE_URL: (await current()).environment['DATABASE_URL'] };
    await connects(expected.DATABASE_URL!);
    await connects(connection_url);
    expect((await configurations().repeated(web_service_id, earlier)).environment).toEqual(expected);
    await fixture.client.request(detachDatabase, { ...caller, database_id: database.id, attachment_id });
    expect((await configurations().repeated(web_service_id, earlier)).environment).toEqual({ COLOUR: 'red' });
  });

  it('requires a running database', async () => {
    const of = { workspace_id: caller.workspace_id, database_id: database.id };
    expect(await codeOf(fixture.client.request(rotateDatabase, of))).toBe('database_not_running');
    expect(await codeOf(fixture.client.request(rotateDatabase, { ...of, workspace_id: uuidv7() }))).toBe(
      'database_not_found',
    );
  });
});

const webServices = () => fixture.part(WebServiceRepository);

/** Records a deployment up to the beginning of its release. */
const beginFirstRelease = async (): Promise<void> => {
  const deploymentId = uuidv7();
  const ofDeployment = { deploymentId, userId: caller.user_id, branch: undefined };
  const commands = [
    { kind: 'request-deployment', ...ofDeployment },
    { kind: 'begin-deployment', ...ofDeployment },
    { kind: 'finish-build', ...ofDeployment, artefact: 'artefact', commit: 'a'.repeat(40) },
    { kind: 'begin-release', releaseId: deploymentId },
  ] as const;
  for (const command of commands) await webServices().execute(web_service_id, at => ({ ...command, at }));
};

/** Reconciles as the leader does, until the new password is applied. */
const untilApplied = async (): Promise<void> => {
  const pending = 'SELECT 1 FROM database_credentials WHERE database_id = $1 AND applied_rotation = 1';
  while ((await fixture.query(pending, [database.id])).length === 0) await fixture.reconcile();
};

const connects = (connection_url: string) => connected({ connection_url }, async () => undefined);
