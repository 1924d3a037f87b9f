import { getDatabase, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseRuntime, type DatabaseUsage, RuntimeUnavailable } from '@postern/runtime';
import { databaseNotFound } from './database.js';
import { databaseReply } from './database-reply.js';
import { Databases } from './databases.projection.js';
import { ExternalAddress } from './external-address.js';
import { ownedDatabase } from './owned-database.js';
import { type DatabaseRow } from './ports.js';
import { RestoreSources, recoveryReply } from './restore-sources.js';

/** Returns a database of a workspace with its current usage and how to connect to it. Refuses with `database_not_found`. */
@Handles(getDatabase)
export class GetDatabase {
  constructor(
    private readonly directory: Databases,
    private readonly runtime: DatabaseRuntime,
    private readonly external: ExternalAddress,
    private readonly sources: RestoreSources,
  ) {}

  async execute(request: RequestOf<typeof getDatabase>): Promise<ReplyOf<typeof getDatabase>> {
    const row = await ownedDatabase(this.directory, request);
    if (request.project_ids) throw databaseNotFound();
    const runs = row.status === 'running';
    const usage = runs ? await this.runtime.usageOf(row.id) : undefined;
    const isBusy = runs && row.statusReason === undefined && (await this.runtime.isBusy(row.id));
    const username = await this.directory.usernameOf(row.id);
    return {
      ...databaseReply(isBusy ? { ...row, statusReason: busyReason(row) } : row),
      usage: usage
        ? {
            cpu: { millicores: rounded(usage.cpuMillicores), percent: rounded(usage.cpuPercent) },
            memory: { bytes: Math.round(usage.memoryBytes), percent: rounded(usage.memoryPercent) },
            storage: {
              bytes: usage.storageBytes,
              percent: rounded((100 * usage.storageBytes) / row.limits.storageBytes),
            },
          }
        : null,
      connection: username === undefined || row.status === 'deleting' ? null : connectionOf(row, username, usage),
      server_version: usage?.serverVersion ?? null,
      external_access: await this.external.reply(row),
      recovery: await this.#recoveryOf(row),
    };
  }

  async #recoveryOf({ id, kind, status }: DatabaseRow) {
    if (kind !== 'relational' || (status !== 'running' && status !== 'unavailable')) return null;
    return this.sources.timesOf(id).then(recoveryReply, (error: unknown) => {
      if (error instanceof RuntimeUnavailable) return null;
      throw error;
    });
  }
}

/** A relational database has the same name as its owner, as in its connection URL. */
const connectionOf = ({ kind, host, port }: DatabaseRow, username: string, usage: DatabaseUsage | undefined) => ({
  host,
  port,
  username,
  database: kind === 'relational' ? username : null,
  ca_certificate: usage?.caCertificate ?? null,
});

const busyReason = ({ limits }: DatabaseRow): string =>
  `busy: all ${limits.connections} connections of its plan are in use; close some, or use a connection pool`;

/** Rounds to two decimals, the precision of the measurements. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
