import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AuditRecord,
  auditExportHead,
  auditExportLines,
  changeProject,
  createPlatformKey,
  createProject,
  deleteProject,
  exportAuditLog,
  listAuditLog,
  recordAuditEntry,
  revokePlatformKey,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AccountsFixture, OPERATOR, type User } from '../../testing/accounts-fixture.js';

let fixture: AccountsFixture;
let ada: User;
let bob: User;
beforeAll(async () => {
  fixture = await AccountsFixture.start(OPERATOR);
  [ada, bob] = [await fixture.newUser(), await fixture.newUser()];
}, 60_000);
afterAll(() => fixture?.stop());
beforeEach(async () => {
  await fixture.query('DELETE FROM audit_entries');
});

const workspaceOf = ({ workspaces: [workspace] }: User) => workspace!.id;
const ofAda = () => ({ user_id: ada.id, workspace_id: workspaceOf(ada) });
const record = (overrides: Partial<AuditRecord>) =>
  fixture.client.request(recordAuditEntry, {
    entry_id: uuidv7(),
    actor: { type: 'user', id: ada.id },
    action: 'project.created',
    resource: { type: 'project', id: null },
    workspace_id: workspaceOf(ada),
    client: { network: null, user_agent: null },
    outcome: 'succeeded',
    code: null,
    request_id: 'request-1',
    ...overrides,
  });

describe('The names in an entry', () => {
  const listed = async (overrides: Partial<AuditRecord>) => {
    await record(overrides);
    return (await fixture.client.request(listAuditLog, ofAda())).items[0];
  };
  const newKey = () =>
    fixture.client.request(createPlatformKey, {
      ...ofAda(),
      ...{ name: 'Continuous integration', scope: 'write' },
    });
  const newProject = (of: User) =>
    fixture.client.request(createProject, { user_id: of.id, workspace_id: workspaceOf(of), name: 'Shop' });

  it('are those that the actor and the resource have now', async () => {
    const [key, project] = [await newKey(), await newProject(ada)];
    const actor = { type: 'platform_key' as const, id: key.id };
    const resource = { type: 'project', id: project.id };
    await fixture.client.request(changeProject, {
      ...ofAda(),
      project_id: project.id,
      name: 'Store',
    });
    expect(await listed({ actor, action: 'project.changed', resource })).toMatchObject({
      actor: { ...actor, name: 'Continuous integration' },
      resource: { ...resource, name: 'Store' },
    });
  });

  it('are those of the creation after the deletion', async () => {
    const [key, project] = [await newKey(), await newProject(ada)];
    await fixture.client.request(revokePlatformKey, {
      ...ofAda(),
      key_id: key.id,
    });
    await fixture.client.request(deleteProject, {
      ...ofAda(),
      project_id: project.id,
    });
    expect(
      await listed({
        actor: { type: 'platform_key', id: key.id },
        action: 'project.deleted',
        resource: { type: 'project', id: project.id },
      }),
    ).toMatchObject({ actor: { name: 'Continuous integration' }, resource: { name: 'Shop' } });
  });

  it('do not include that of the resource of a refused call, which may be of another workspace', async () => {
    const resource = { type: 'project', id: (await newProject(bob)).id };
    for (const outcome of ['refused', 'failed', 'attempted'] as const)
      expect(await listed({ outcome, action: 'project.deleted', resource })).toMatchObject({
        resource: { id: resource.id, name: null },
      });
  });

  it('are null for what never had one', async () => {
    const resource = { type: 'secret', id: 'not a uuid' };
    expect(await listed({ actor: { type: 'operator', id: null }, resource })).toMatchObject({
      actor: { name: null },
      resource: { name: null },
    });
  });

  it('are in the export', async () => {
    await record({});
    const { entries } = await fixture.client.request(exportAuditLog, { cursor: null });
    expect(entries).toMatchObject([{ actor: { name: ada.email } }]);
    expect(auditExportHead('csv')).toMatch(/,actor_name,resource_name\r?\n$/);
    expect(auditExportLines('csv', entries)).toContain(ada.email);
  });
});
