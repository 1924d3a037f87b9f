import { Injectable } from '@nestjs/common';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { Database, EventSourcing } from '@postern/service-host';
import { contentsLock } from '../accounts/quotas/ports.js';
import { READ_MODELS } from '../infrastructure/postgres/read-models.js';
import { type ProjectOwner, ProjectRepository } from './ports.js';
import { type ProjectChanges, project, projectStream } from './project.js';
import { COUNT_WEB_SERVICES, DELETE_SECRETS_OF } from './projects.sql.js';

/** Deletes under the lock that also guards the creation of web services, so that no web service is created in a deleted project. */
@Injectable()
export class PostgresProjectRepository extends ProjectRepository {
  readonly #transactions: CommandTransactions;

  constructor(
    eventSourcing: EventSourcing,
    private readonly database: Database,
  ) {
    super();
    const writes = eventSourcing.writeOptions(READ_MODELS.resources);
    const { waitUntil } = eventSourcing.writeOptions(READ_MODELS.webServices);
    this.#transactions = new CommandTransactions({
      ...writes,
      waitUntil: async position => {
        await Promise.all([writes.waitUntil(position), waitUntil(position)]);
      },
    });
  }

  override async change(projectId: string, changes: ProjectChanges): Promise<void> {
    const command = { kind: 'change', changes, at: new Date().toISOString() } as const;
    await this.#transactions.execute({ decider: project, streamId: projectStream(projectId), command });
  }

  override async remove(projectId: string, { workspaceId }: ProjectOwner): Promise<void> {
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
