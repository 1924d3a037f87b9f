import { afterAll, describe, expect, it } from '@jest/globals';
import { changeMe, getMe, getOwnerMailFacts, listStatusMails, setUserEnabled } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { ResourcesFixture } from '../../testing/resources-fixture.js';

const resources = await ResourcesFixture.start();
afterAll(() => resources.stop());

const append = async (streamId: string, type: string, data: object): Promise<string> => {
  await resources.fixture.query(
    `INSERT INTO event_store.events (stream_id, version, id, type, data, metadata, occurred_at)
     VALUES ($1, 1, $2, $3, $4, '{"correlation_id": "test"}', now())`,
    [streamId, uuidv7(), `platform-management.${type}.v1`, JSON.stringify(data)],
  );
  return streamId;
};
const factsAt = async (stream_id: string) =>
  (await resources.request(getOwnerMailFacts, { stream_id, version: 1 })).facts;
const failedDeployment = async (reason: string): Promise<string> => {
  const { web_service_id } = await resources.newService(await resources.newProject('Shop'));
  const data = { web_service_id, deployment_id: uuidv7(), reason, at: new Date().toISOString() };
  return append(`test-${uuidv7()}`, 'deployment-failed', data);
};
const emails = async (streamId: string) => (await factsAt(streamId))?.recipients.map(({ email }) => email);

describe('the facts for mail to owners', () => {
  it('contain the web service, its project and the reason without the output after it', async () => {
    const stream = await failedDeployment('the build failed: exit code 1\nTOKEN=hunter2');
    expect(await factsAt(stream)).toMatchObject({
      project_name: 'Shop',
      name: 'web',
      reason: 'the build failed: exit code 1',
      recipients: [{ user_id: resources.user.user_id }],
    });
  });

  it('contain the reason of a web service that does not respond', async () => {
    const { web_service_id } = await resources.newService(await resources.newProject());
    const status_reason = 'restarted 3 times in 20 s: exited with code 4\nsecret output';
    const stream = await append(`test-${uuidv7()}`, 'web-service-unanswering', { web_service_id, status_reason });
    expect(await factsAt(stream)).toMatchObject({ reason: 'restarted 3 times in 20 s: exited with code 4' });
  });

  it('contain the workspace of a deployment that is live, for its notification targets', async () => {
    const { web_service_id } = await resources.newService(await resources.newProject('Shop'));
    const data = { web_service_id, deployment_id: uuidv7(), at: new Date().toISOString() };
    const stream = await append(`test-${uuidv7()}`, 'deployment-live', data);
    const { workspace_id } = resources.user;
    expect(await factsAt(stream)).toMatchObject({ workspace_id, name: 'web', project_name: 'Shop', reason: null });
  });

  it('contain a database until its deletion is requested', async () => {
    const database_id = uuidv7();
    await resources.fixture.query(
      `INSERT INTO databases (id, workspace_id, name, kind, plan, cpu_millicores, memory_bytes, storage_bytes,
         connections, host, port, status, created_at)
       VALUES ($1, $2, 'orders', 'relational', 'small', 1, 1, 1, 1, 'localhost', 1, 'running', now())`,
      [database_id, resources.user.workspace_id],
    );
    const stream = await append(`test-${uuidv7()}`, 'database-nearly-full', { database_id });
    expect(await factsAt(stream)).toMatchObject({ project_name: null, name: 'orders', reason: null });
    await resources.fixture.query("UPDATE databases SET status = 'deleting' WHERE id = $1", [database_id]);
    expect(await factsAt(stream)).toBeNull();
  });

  it('are null for a deleted web service, another event, or an event that does not exist', async () => {
    const gone = { web_service_id: uuidv7(), deployment_id: uuidv7(), reason: 'x' };
    expect(await factsAt(await append(`test-${uuidv7()}`, 'deployment-failed', gone))).toBeNull();
    expect(await factsAt(`workspace-${resources.user.workspace_id}`)).toBeNull();
    expect(await factsAt('no-such-stream')).toBeNull();
  });
});

describe('the recipients of mail to owners', () => {
  it('are all enabled owners who have not turned off service mail, and no other members', async () => {
    const { fixture, user, request } = resources;
    const stream = await failedDeployment('x');
    const [before = ''] = (await emails(stream)) ?? [];
    const workspace = { id: user.workspace_id, ownerId: user.user_id };
    const [owner, member] = [await fixture.newUser(), await fixture.newUser()];
    await fixture.makeMember(workspace, owner, 'owner');
    await fixture.makeMember(workspace, member, 'member');
    expect(await emails(stream)).toEqual([before, owner.email]);

    const me = { user_id: owner.id, workspace_id: user.workspace_id };
    expect(await request(getMe, me)).toMatchObject({ service_mails: true });
    expect(await request(changeMe, { ...me, service_mails: false })).toMatchObject({ service_mails: false });
    expect(await emails(stream)).toEqual([before]);
    await request(changeMe, { ...me, service_mails: true });
    await request(setUserEnabled, { actor_id: await fixture.operatorId(), id: owner.id, enabled: false });
    expect(await emails(stream)).toEqual([before]);
  });
});

describe('the workspaces with a daily mail', () => {
  const mailed = async () =>
    (await resources.request(listStatusMails, { after: null, limit: 500 })).workspaces.find(
      ({ id }) => id === resources.user.workspace_id,
    )?.recipients;

  it('are those with an owner who has not turned it off, which does not turn off mail about failures', async () => {
    const { user, request } = resources;
    const me = { user_id: user.user_id, workspace_id: user.workspace_id };
    expect((await mailed())?.map(({ user_id }) => user_id)).toContain(user.user_id);
    expect(await request(changeMe, { ...me, status_mails: false })).toMatchObject({
      status_mails: false,
      service_mails: true,
    });
    expect((await mailed())?.map(({ user_id }) => user_id) ?? []).not.toContain(user.user_id);
    await request(changeMe, { ...me, status_mails: true });
  });

  it('are listed in pages', async () => {
    const { workspaces } = await resources.request(listStatusMails, { after: null, limit: 1 });
    const [first] = workspaces;
    expect(workspaces).toHaveLength(1);
    const next = await resources.request(listStatusMails, { after: first!.id, limit: 500 });
    expect(next.workspaces.map(({ id }) => id)).not.toContain(first!.id);
  });

  it('need a field to change', async () => {
    const { user, request } = resources;
    const me = { user_id: user.user_id, workspace_id: user.workspace_id };
    await expect(request(changeMe, me)).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
