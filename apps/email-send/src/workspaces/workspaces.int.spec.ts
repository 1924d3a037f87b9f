import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  closeWorkspace,
  createEmailService,
  deleteEmailService,
  getWorkspaceState,
  listEmailServices,
  PLATFORM_MANAGEMENT_EVENTS,
  workspaceDeleted,
} from '@postern/contracts';
import { PosternServer, silentLog } from '@postern/messaging';
import type { TestEventSource } from '@postern/service-host/testing';
import { waitFor } from '@postern/testing';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
let platform: PosternServer;
/** The log of platform-management. */
let log: TestEventSource;
/** The reply of platform-management; it replies once a deletion in progress has ended. */
let isDeleted: () => Promise<boolean>;
let questions = 0;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
  platform = new PosternServer({ link: fixture.link, service: 'platform-management', log: silentLog });
  platform.handle(getWorkspaceState, async () => {
    questions += 1;
    return { deleted: await isDeleted() };
  });
  platform.listen();
  log = await fixture.logOf('platform-management', PLATFORM_MANAGEMENT_EVENTS);
}, 60_000);
afterAll(async () => {
  await log?.stop();
  await platform?.close();
  await fixture?.stop();
});
beforeEach(() => {
  questions = 0;
  isDeleted = async () => false;
});

const create = (workspace_id: string) => fixture.client.request(createEmailService, { workspace_id, name: 'Shop' });
const close = async (workspace_id: string, closing_id?: string) =>
  (await fixture.client.request(closeWorkspace, { workspace_id, closing_id })).email_services;
const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
const servicesOf = async (workspace_id: string) =>
  (await fixture.client.request(listEmailServices, { workspace_id })).length;

const publishDeletion = (workspace_id: string) =>
  log.publish([{ id: uuidv7(), type: workspaceDeleted.type, data: { workspace_id, at: new Date().toISOString() } }]);
const learned = (workspace_id: string) =>
  waitFor(
    async () =>
      (
        await fixture.pool.query('SELECT 1 FROM event_store.events WHERE stream_id = $1 AND type = $2', [
          `workspace-${workspace_id}`,
          'email-send.workspace-deletion-learned.v1',
        ])
      ).rowCount === 1,
    { describe: 'the deletion to arrive' },
  );

describe('A workspace', () => {
  it('with email services is not closed', async () => {
    const workspace_id = uuidv7();
    const { id: service_id } = await create(workspace_id);
    expect(await close(workspace_id)).toBe(1);
    expect(await close(workspace_id, uuidv7())).toBe(1);
    await create(workspace_id);
    expect(await close(workspace_id, uuidv7())).toBe(2);
    await fixture.client.request(deleteEmailService, { workspace_id, service_id });
    expect(await close(workspace_id, uuidv7())).toBe(1);
    expect(questions).toBe(0);
  });

  it('stays open when its services are only counted', async () => {
    const workspace_id = uuidv7();
    expect(await close(workspace_id)).toBe(0);
    expect(await codeOf(create(workspace_id))).toBeUndefined();
    expect(questions).toBe(0);
  });

  it('that was closed and deleted gets no email service', async () => {
    const workspace_id = uuidv7();
    expect(await close(workspace_id, uuidv7())).toBe(0);
    isDeleted = async () => true;
    expect(await codeOf(create(workspace_id))).toBe('workspace_not_found');
    expect(questions).toBe(1);

    await publishDeletion(workspace_id);
    await learned(workspace_id);
    expect(await codeOf(create(workspace_id))).toBe('workspace_not_found');
    expect(questions).toBe(1);
    expect(await servicesOf(workspace_id)).toBe(0);
  });

  it('is open again when its deletion has failed', async () => {
    const workspace_id = uuidv7();
    await close(workspace_id, uuidv7());
    expect(await codeOf(create(workspace_id))).toBeUndefined();
    expect(await codeOf(create(workspace_id))).toBeUndefined();
    expect(questions).toBe(1);
  });

  it('stays closed when another attempt to delete it has begun since the first one failed', async () => {
    const workspace_id = uuidv7();
    await close(workspace_id, uuidv7());
    isDeleted = async () => {
      await close(workspace_id, uuidv7());
      return false;
    };
    expect(await codeOf(create(workspace_id))).toBe('workspace_not_found');
  });

  it('stays closed while platform-management does not respond', async () => {
    const workspace_id = uuidv7();
    await close(workspace_id, uuidv7());
    isDeleted = () => Promise.reject(new Error('not now'));
    await expect(create(workspace_id)).rejects.toThrow();
    expect(await servicesOf(workspace_id)).toBe(0);
  });

  it('either has an email service or is closed, when both are requested at once', async () => {
    isDeleted = async () => true;
    for (let round = 0; round < 20; round++) {
      const workspace_id = uuidv7();
      const [created, left] = await Promise.all([codeOf(create(workspace_id)), close(workspace_id, uuidv7())]);
      expect([
        [undefined, 1],
        ['workspace_not_found', 0],
      ]).toContainEqual([created, left]);
      expect(await servicesOf(workspace_id)).toBe(left);
    }
  });
});
