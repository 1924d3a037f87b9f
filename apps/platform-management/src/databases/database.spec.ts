import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { type DatabaseCommand, type DatabaseEvent, database } from './database.js';

const given = specificationOf(database);
const at = '2026-01-02T03:04:05.678Z';
const of = { database_id: 'orders', at };

const created: DatabaseEvent = {
  type: 'platform-management.database-created.v1',
  data: {
    ...of,
    workspace_id: 'shop',
    name: 'Orders',
    kind: 'relational',
    plan: 'starter',
    limits: { cpu_millicores: 250, memory_bytes: 268_435_456, storage_bytes: 1_073_741_824, connections: 20 },
    host: '127.0.0.1',
    port: 20_001,
  },
};
const available: DatabaseEvent = { type: 'platform-management.database-became-available.v1', data: of };
const unavailable: DatabaseEvent = {
  type: 'platform-management.database-became-unavailable.v1',
  data: { ...of, reason: 'it does not respond' },
};
const readOnly: DatabaseEvent = {
  type: 'platform-management.database-became-read-only.v1',
  data: { ...of, reason: 'storage is full' },
};
const writable: DatabaseEvent = { type: 'platform-management.database-became-writable.v1', data: of };
const failed: DatabaseEvent = {
  type: 'platform-management.database-provisioning-failed.v1',
  data: { ...of, reason: 'no space left' },
};
const deletionRequested: DatabaseEvent = { type: 'platform-management.database-deletion-requested.v1', data: of };
const deleted: DatabaseEvent = { type: 'platform-management.database-deleted.v1', data: of };

const opened = (enabled: boolean, ...allowed_cidrs: string[]): DatabaseEvent => ({
  type: 'platform-management.database-external-access-changed.v1',
  data: { ...of, enabled, allowed_cidrs },
});

const change = (
  changes: Extract<DatabaseCommand, { kind: 'change-external-access' }>['changes'],
  workspaceId = 'shop',
): DatabaseCommand => ({ kind: 'change-external-access', workspaceId, changes, at });
const answers: DatabaseCommand = { kind: 'report-available', at };
const doesNotAnswer: DatabaseCommand = { kind: 'report-unavailable', reason: 'it does not respond', at };
const isFull: DatabaseCommand = { kind: 'report-read-only', reason: 'storage is full', at };
const hasSpace: DatabaseCommand = { kind: 'report-writable', at };
const giveUp: DatabaseCommand = { kind: 'fail-provisioning', reason: 'no space left', at };
const remove = (workspaceId: string): DatabaseCommand => ({ kind: 'request-deletion', workspaceId, at });
const isDeleted: DatabaseCommand = { kind: 'report-deleted', at };

describe('a database', () => {
  it('is created with the current limits of its plan', () =>
    given().when({ kind: 'create', as: created.data }).yields(created));

  it('is opened to networks outside by its workspace, each change recorded once', () => {
    const network = '203.0.113.0/24';
    given(created)
      .when(change({ enabled: true, allowed_cidrs: [network] }))
      .yields(opened(true, network));
    given(created, opened(true, network))
      .when(change({ enabled: true }))
      .yields();
    given(created, opened(true, network))
      .when(change({ enabled: false }))
      .yields(opened(false, network));
    given(created, opened(false, network))
      .when(change({ enabled: true }))
      .yields(opened(true, network));
    given(created)
      .when(change({ enabled: true, allowed_cidrs: [network] }, 'other'))
      .refuses('database_not_found');
  });

  it('is never opened without the networks that may connect', () => {
    given(created)
      .when(change({ enabled: true }))
      .refuses('invalid_input');
    given(created, opened(true, '203.0.113.0/24'))
      .when(change({ allowed_cidrs: [] }))
      .refuses('invalid_input');
    given(created, opened(true, '203.0.113.0/24'))
      .when(change({ enabled: false, allowed_cidrs: [] }))
      .yields(opened(false));
  });

  it('runs when it responds', () => given(created).when(answers).yields(available));

  it('does not become unavailable before it has run', () => given(created).when(doesNotAnswer).yields());

  it('fails when it is not created in time', () => given(created).when(giveUp).yields(failed));

  it('that has run cannot fail provisioning', () => {
    given(created, available).when(giveUp).yields();
    given(created, available, unavailable).when(giveUp).yields();
  });

  it('that has failed stays failed', () => {
    given(created, failed).when(answers).yields();
    given(created, failed).when(giveUp).yields();
  });

  it('becomes unavailable and available again, each recorded once', () => {
    given(created, available).when(answers).yields();
    given(created, available).when(doesNotAnswer).yields(unavailable);
    given(created, available, unavailable).when(doesNotAnswer).yields();
    given(created, available, unavailable).when(answers).yields(available);
  });

  it('records a new reason while it is unavailable', () => {
    const reason = 'no space left';
    given(created, available, unavailable)
      .when({ kind: 'report-unavailable', reason, at })
      .yields({ type: 'platform-management.database-became-unavailable.v1', data: { ...of, reason } });
  });

  it('becomes read-only when its storage is full and writable when it has space, each recorded once', () => {
    given(created, available).when(hasSpace).yields();
    given(created, available).when(isFull).yields(readOnly);
    given(created, available, readOnly).when(isFull).yields();
    given(created, available, readOnly).when(hasSpace).yields(writable);
    given(created, available, readOnly, writable).when(isFull).yields(readOnly);
  });

  it('stays read-only while it restarts', () =>
    given(created, available, readOnly, unavailable, available).when(isFull).yields());
});

describe('deleting a database', () => {
  it.each([[created], [created, available], [created, available, unavailable], [created, failed]])(
    'is possible in every state (%#)',
    (...history) =>
      given(...history)
        .when(remove('shop'))
        .yields(deletionRequested),
  );

  it('is recorded once for repeated requests', () =>
    given(created, available, deletionRequested).when(remove('shop')).yields());

  it('is possible only from its workspace', () => {
    given(created, available).when(remove('another')).refuses('database_not_found');
    given(created, available, deletionRequested).when(remove('another')).refuses('database_not_found');
  });

  it('ends the reports of the reconciler', () => {
    for (const late of [answers, doesNotAnswer, isFull, hasSpace, giveUp])
      given(created, available, deletionRequested).when(late).yields();
  });

  it('ends when the runtime has removed it', () => {
    given(created, deletionRequested).when(isDeleted).yields(deleted);
    given(created, available).when(isDeleted).yields();
    given(created, deletionRequested, deleted).when(isDeleted).yields();
  });

  it('cannot be repeated', () => {
    given(created, deletionRequested, deleted).when(remove('shop')).refuses('database_not_found');
    given().when(remove('shop')).refuses('database_not_found');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/database'), database);
});
