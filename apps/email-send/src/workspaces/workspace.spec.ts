import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type WorkspaceCommand, type WorkspaceEvent, workspace } from './workspace.js';

const given = specificationOf(workspace);
const at = '2026-01-01T00:00:00.000Z';

const close = (closingId: string, emailServices = 0): WorkspaceCommand => ({
  kind: 'close',
  workspaceId: 'shop',
  closingId,
  emailServices,
  at,
});
const reopen = (closingId: string): WorkspaceCommand => ({ kind: 'reopen', workspaceId: 'shop', closingId, at });
const learn: WorkspaceCommand = { kind: 'learn-deletion', workspaceId: 'shop', at };

const closed = (closing_id: string): WorkspaceEvent => ({
  type: 'email-send.workspace-closed.v1',
  data: { workspace_id: 'shop', closing_id, at },
});
const reopened = (closing_id: string): WorkspaceEvent => ({
  type: 'email-send.workspace-reopened.v1',
  data: { workspace_id: 'shop', closing_id, at },
});
const learned: WorkspaceEvent = {
  type: 'email-send.workspace-deletion-learned.v1',
  data: { workspace_id: 'shop', at },
};

describe('a workspace', () => {
  it('is closed while it is being deleted', () => given().when(close('first')).yields(closed('first')));

  it('is not closed while it has email services', () => given().when(close('first', 1)).yields());

  it('is opened again after the attempt to delete it has failed', () => {
    given(closed('first')).when(reopen('first')).yields(reopened('first'));
    given(closed('first'), reopened('first')).when(reopen('first')).yields();
    given(closed('first'), reopened('first')).when(close('second')).yields(closed('second'));
  });

  it('stays closed when an earlier attempt has failed', () =>
    given(closed('first'), closed('second')).when(reopen('first')).yields());

  it('is closed permanently once its deletion is known', () => {
    given(closed('first')).when(learn).yields(learned);
    given().when(learn).yields(learned);
    for (const command of [learn, reopen('first'), close('second')])
      given(closed('first'), learned).when(command).yields();
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures'), workspace);
});
