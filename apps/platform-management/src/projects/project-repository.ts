import { Injectable } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Database, EventSourcing } from '@postern/service-host';
import { contentsLock } from '../accounts/quotas/workspace-usage.js';
import { READ_MODELS } from '../infrastructure/postgres/read-models.js';
import { type ProjectOwner } from './ports.js';
import { type ProjectChanges, project, projectStream } from './project.js';
import { COUNT_WEB_SERVICES, DELETE_SECRETS_OF } from './projects.sql.js';

/** Deletes under the lock that also guards the creation of web services, so that no web service is created in a deleted project. */
@Injectable()
export class ProjectRepository {
  readonly #transactions: CommandTransactions;

  constructor(
    eventSourcing: EventSourcing,
    private readonly database: Database,
  ) {
    const writes = eventSourcing.writeOptions(READ_MODELS.resources);
    const { waitUntil } = eventSourcing.writeOptions(READ_MODELS.webServices);
    this.#transactions = new CommandTransactions({
      ...writes,
      waitUntil: async position => {
        await Promise.all([writes.waitUntil(position), waitUntil(position)]);
      },
    });
  }

  /** Resolves once the read model contains the change. Refuses with `project_not_found`. */
  async change(projectId: string, changes: ProjectChanges): Promise<void> {
    const command = { kind: 'change', changes, at: new Date().toISOString() } as const;
    await this.#transactions.execute({ decider: project, streamId: projectStream(projectId), command });
  }

  /** Deletes the project with the values of its secrets. Refuses with `project_not_empty` while it has web services. */
  async remove(projectId: string, { workspaceId }: ProjectOwner): Promise<void> {
    const command = { kind: 'delete' as const, webServices: 0, at: new Date().toISOString() };
    await this.#transactions.execute({
      decider: project,
      streamId: projectStream(projectId),
      command,
      limit: {
        lock: contentsLock(workspaceId),
        check: async () => {
          const { rows } = await this.database.pool.query<{ count: number }>(COUNT_WEB_SERVICES, [projectId]);
          command.webServices = rows[0]!.count;
        },
      },
      write: client => client.query(DELETE_SECRETS_OF, [projectId]),
    });
  }
}
