import { setTimeout as pause } from 'node:timers/promises';
import { type ReplyOf, type RequestOf, rotateDatabase } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { connectionUrl } from '../web-services/environment/connection-url.js';
import { AttachedServices } from './attached-services.js';
import { databaseReply } from './database-reply.js';
import { DatabaseRepository } from './database-repository.js';
import { Databases } from './databases.projection.js';
import { ExternalAddress } from './external-address.js';
import { newPassword } from './new-password.js';
import { ownedDatabase } from './owned-database.js';
import { databaseNotRunning } from './refusals.js';

const APPLIED_WITHIN_MS = 15_000;

/**
 * Replaces the password of a database and returns the new connection URL, which is shown only here. Waits up to 15 s until the
 * reconciler has applied the password and requested restarts of attached web services, so that the returned URL works.
 */
@Handles(rotateDatabase)
export class RotateDatabase {
  constructor(
    private readonly directory: Databases,
    private readonly databases: DatabaseRepository,
    private readonly attached: AttachedServices,
    private readonly external: ExternalAddress,
  ) {}

  async execute(request: RequestOf<typeof rotateDatabase>): Promise<ReplyOf<typeof rotateDatabase>> {
    const { database_id } = request;
    const row = await ownedDatabase(this.directory, request);
    if (row.status !== 'running') throw databaseNotRunning();
    const restarting = await this.attached.runningOf(database_id);
    const password = newPassword();
    const { username } = await this.databases.rotate(database_id, password);
    for (const until = Date.now() + APPLIED_WITHIN_MS; Date.now() < until; await pause(100))
      if (!(await this.databases.findPendingRotations()).has(database_id)) break;
    const { kind, host, port } = row;
    return {
      ...databaseReply(row),
      connection_url: connectionUrl(kind, { username, password, host, port }),
      external_connection_url: await this.external.urlOf(row, { username, password }),
      restarting: [...restarting],
    };
  }
}
