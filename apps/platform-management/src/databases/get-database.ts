import { Injectable } from '@nestjs/common';
import type { getDatabase, ReplyOf, RequestOf } from '@postern/contracts';
import { DatabaseRuntime } from '../ports/database-runtime.js';
import { databaseNotFound } from './database.js';
import { databaseReply } from './database-reply.js';
import { DatabaseDirectory } from './ports.js';

/** One database of a workspace with what it uses now. Refuses with `database_not_found`. */
@Injectable()
export class GetDatabase {
  constructor(
    private readonly directory: DatabaseDirectory,
    private readonly runtime: DatabaseRuntime,
  ) {}

  async execute({ workspace_id, database_id }: RequestOf<typeof getDatabase>): Promise<ReplyOf<typeof getDatabase>> {
    const row = await this.directory.find(database_id);
    if (row?.workspaceId !== workspace_id) throw databaseNotFound();
    const usage = row.status === 'running' ? await this.runtime.usageOf(database_id) : undefined;
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

/** Two decimals say all that a measurement knows. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
