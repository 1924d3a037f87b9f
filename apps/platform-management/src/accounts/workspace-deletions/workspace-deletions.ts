import { Injectable } from '@nestjs/common';
import type { Streams } from '@postern/event-sourcing';
import { appendAll, CommandTransactions, inTransaction, lockStreams } from '@postern/event-sourcing/postgres';
import { Database, EventSourcing, type WriteOptions } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { isDeleted } from '../../infrastructure/postgres/deleted-streams.js';
import { READ_MODELS } from '../../infrastructure/postgres/read-models.js';
import { contentsLock, WorkspaceUsage } from '../quotas/workspace-usage.js';
import { user, userStream } from '../users/user.js';
import { type WorkspaceContents, workspace, workspaceNotFound, workspaceStream } from '../workspaces/workspace.js';
import { requireOwner } from '../workspaces/workspace-members.js';
import { DELETE_ROWS_OF_WORKSPACE, FIND_CREATOR } from './workspace-deletions.sql.js';
import { WorkspaceEmailServices } from './workspace-email-services.js';

/** Deletes under the lock that guards all creations in the workspace. */
@Injectable()
export class WorkspaceDeletions {
  readonly #writes: WriteOptions;
  readonly #streams: Streams;
  readonly #transactions: CommandTransactions;

  constructor(
    eventSourcing: EventSourcing,
    private readonly database: Database,
    private readonly usage: WorkspaceUsage,
    private readonly emailServices: WorkspaceEmailServices,
  ) {
    this.#writes = eventSourcing.writeOptions(READ_MODELS.accounts);
    this.#streams = eventSourcing.streams(READ_MODELS.accounts);
    const shown = Object.values(READ_MODELS).map(readModel => eventSourcing.writeOptions(readModel));
    this.#transactions = new CommandTransactions({
      ...this.#writes,
      waitUntil: async position => {
        await Promise.all(shown.map(({ waitUntil }) => waitUntil(position)));
      },
    });
  }

  /**
   * Resolves once the read models contain the deletion.
   * @throws the refusals `workspace_not_found`, `role_insufficient` and `workspace_not_empty`;
   * `ServiceUnavailable` if email-send does not respond.
   */
  async delete(workspaceId: string, actorId: string): Promise<void> {
    const streamId = workspaceStream(workspaceId);
    const creatorId = await this.#creatorOf(streamId);
    const at = new Date().toISOString();
    const command = { kind: 'delete' as const, contents: {} as WorkspaceContents, actorId, at };
    await this.#transactions.execute({
      decider: workspace,
      streamId,
      command,
      locks: [userStream(creatorId)],
      // Before the request to email-send, so that only an owner can close a workspace.
      check: async () => requireOwner((await this.#streams.stateOf(workspace, streamId)).members, actorId),
      limit: {
        lock: contentsLock(workspaceId),
        check: async () => {
          command.contents = await this.#contentsOf(workspaceId);
        },
      },
      write: async client => {
        await client.query(DELETE_ROWS_OF_WORKSPACE, [workspaceId]);
        await this.#returnPlace(client, creatorId, workspaceId, at);
      },
    });
  }

  /** Waits for a deletion in progress. */
  async isDeleted(workspaceId: string): Promise<boolean> {
    return inTransaction(this.database.pool, async client => {
      await lockStreams(client, [contentsLock(workspaceId)]);
      return isDeleted(client, workspaceStream(workspaceId));
    });
  }

  async #creatorOf(streamId: string): Promise<string> {
    const { rows } = await this.database.pool.query<{ creator: string }>(FIND_CREATOR, [streamId]);
    if (!rows[0]) throw workspaceNotFound();
    return rows[0].creator;
  }

  /**
   * Closes the workspace in email-send if it has no other contents. Each attempt has its own id, so that email-send does not reopen the
   * workspace because an earlier attempt failed.
   */
  async #contentsOf(workspaceId: string): Promise<WorkspaceContents> {
    const { projects, web_services, databases: databaseCount } = await this.usage.usageOf(workspaceId);
    const isEmpty = projects + web_services + databaseCount === 0;
    const emailServices = isEmpty
      ? await this.emailServices.close(workspaceId, uuidv7())
      : await this.emailServices.countOf(workspaceId);
    return { projects, webServices: web_services, databases: databaseCount, emailServices };
  }

  /** Frees the creator's quota for another workspace, a day later. */
  async #returnPlace(client: pg.ClientBase, creatorId: string, workspaceId: string, at: string): Promise<void> {
    const streamId = userStream(creatorId);
    const state = await this.#streams.stateOf(user, streamId);
    const events = user.decide({ kind: 'forget-workspace', workspaceId, at }, state);
    if (events.length === 0) return;
    const metadata = this.#writes.metadata();
    const [appended] = await appendAll(client, [{ streamId, events, expectedVersion: 'any', metadata }]);
    if (!appended || appended instanceof Error) throw appended ?? new Error('nothing was appended');
  }
}
