import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type createDatabase, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { connectionUrl, usernameFor } from '../../domain/databases/connection-url.js';
import { database, databaseStream } from '../../domain/databases/database.js';
import { limitsOfPlan } from '../../domain/databases/database-plans.js';
import { databaseReply, limitsReply } from '../../domain/databases/database-reply.js';
import { DatabaseRuntime } from '../../ports/database-runtime.js';
import { CredentialVault, DatabaseStreams } from '../../ports/databases.js';

const PASSWORD_BYTES = 32;

/**
 * Orders a database and answers where it will be, and with which credentials: here and nowhere else. It is made
 * afterwards. Refuses with `invalid_input` for an unknown plan, and with `technology_missing`.
 */
@Injectable()
export class CreateDatabase {
  constructor(
    private readonly runtime: DatabaseRuntime,
    private readonly vault: CredentialVault,
    private readonly streams: DatabaseStreams,
  ) {}

  async execute({
    workspace_id,
    name,
    kind,
    plan,
  }: RequestOf<typeof createDatabase>): Promise<ReplyOf<typeof createDatabase>> {
    const limits = limitsOfPlan(plan);
    const missing = await this.runtime.missingFor(kind);
    if (missing !== undefined) throw new Refusal('technology_missing', missing);

    const id = uuidv7();
    const { host, port } = await this.runtime.reserve(id, kind);
    const credentials = { username: usernameFor(kind), password: randomBytes(PASSWORD_BYTES).toString('base64url') };
    // Credentials of a creation that is cut off here are forgotten with what was reserved for it.
    await this.vault.keep(id, credentials);
    const createdAt = new Date();
    const at = createdAt.toISOString();
    await this.streams.execute(database, databaseStream(id), {
      kind: 'create',
      as: { database_id: id, workspace_id, name, kind, plan, limits: limitsReply(limits), host, port, at },
    });
    return {
      ...databaseReply({ id, name, kind, status: 'creating', statusReason: undefined, plan, limits, host, createdAt }),
      connection_url: connectionUrl(kind, { ...credentials, host, port }),
    };
  }
}
