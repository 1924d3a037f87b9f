import { getDatabase, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseRuntime } from '@postern/runtime';
import { databaseNotFound } from './database.js';
import { databaseReply } from './database-reply.js';
import { ownedDatabase } from './owned-database.js';
import { DatabaseDirectory } from './ports.js';

/** Returns a database of a workspace with its current usage. Refuses with `database_not_found`. */
@Handles(getDatabase)
export class GetDatabase {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly runtime: DatabaseRuntime,
  ) {}

  async execute(request: RequestOf<typeof getDatabase>): Promise<ReplyOf<typeof getDatabase>> {
    const row = await ownedDatabase(this.directory, request);
    if (request.project_ids) throw databaseNotFound();
    const usage = row.status === 'running' ? await this.runtime.usageOf(row.id) : undefined;
    return {
      ...databaseReply(row),
      usage: usage
        ? {
            cpu: { millicores: rounded(usage.cpuMillicores), percent: rounded(usage.cpuPercent) },
            memory: { bytes: Math.round(usage.memoryBytes), percent: rounded(usage.memoryPercent) },
          }
        : null,
    };
  }
}

/** Rounds to two decimals, the precision of the measurements. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
