import { Injectable } from '@nestjs/common';
import { Database, Every, type TaskRun } from '@postern/service-host';
import { WebServiceRepository } from '../services/web-service-repository.js';
import { DELETE_OLD_PULL_REQUESTS, FIND_OBSOLETE_PREVIEWS } from './pull-requests.sql.js';

/** Deletes previews that nothing else deleted: after a lost event, a crash, or the end of the web service that they are of. */
@Injectable()
export class DeleteObsoletePreviews {
  constructor(
    private readonly database: Database,
    private readonly webServices: WebServiceRepository,
  ) {}

  @Every(60_000, 'delete obsolete previews', { onOneReplica: true })
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    await this.database.pool.query(DELETE_OLD_PULL_REQUESTS);
    const { rows } = await this.database.pool.query<{ id: string; userId: string }>(FIND_OBSOLETE_PREVIEWS);
    for (const { id, userId } of rows) {
      if (signal.aborted) return;
      await this.webServices.deleteIfPresent(id, userId);
    }
  }
}
