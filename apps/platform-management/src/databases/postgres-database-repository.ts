import { Injectable } from '@nestjs/common';
import type { CreationLimit } from '@postern/event-sourcing';
import { CommandTransactions } from '@postern/event-sourcing/postgres';
import { KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import {
  type DatabaseCommand,
  type DatabaseCreation,
  type DatabaseEvent,
  database,
  databaseStream,
} from './database.js';
import { DELETE_CREDENTIALS, DELETE_OLD_CREATIONS, INSERT_CREATION, INSERT_CREDENTIALS } from './databases.sql.js';
import { type DatabaseCredentials, DatabaseRepository } from './ports.js';

/** After these events the credentials are no longer needed. */
const FINAL_EVENTS: ReadonlySet<DatabaseEvent['type']> = new Set([
  'platform-management.database-deleted.v1',
  'platform-management.database-provisioning-failed.v1',
]);

/** Writes events and credentials in one transaction. Passwords are encrypted and bound to their rows. */
@Injectable()
export class PostgresDatabaseRepository extends DatabaseRepository {
  constructor(
    private readonly transactions: CommandTransactions,
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  override async create(
    created: DatabaseCreation,
    { username, password }: DatabaseCredentials,
    limit: CreationLimit,
  ): Promise<void> {
    const { database_id, workspace_id } = created;
    const sealed = this.keys.seal(password, rowOf(database_id));
    await this.transactions.execute({
      decider: database,
      streamId: databaseStream(database_id),
      command: { kind: 'create', as: created },
      limit,
      write: async client => {
        await client.query(INSERT_CREDENTIALS, [database_id, username, sealed]);
        await client.query(DELETE_OLD_CREATIONS, [workspace_id]);
        await client.query(INSERT_CREATION, [database_id, workspace_id]);
      },
    });
  }

  override async execute(databaseId: string, command: DatabaseCommand): Promise<void> {
    await this.#execute(databaseId, command, async (client, events) => {
      if (events.some(({ type }) => FINAL_EVENTS.has(type))) await client.query(DELETE_CREDENTIALS, [databaseId]);
    });
  }

  override async credentialsOf(databaseId: string): Promise<DatabaseCredentials | undefined> {
    const row = await this.prisma.databaseCredential.findUnique({ where: { databaseId } });
    return row
      ? { username: row.username, password: this.keys.open(row.sealedPassword, rowOf(databaseId)) }
      : undefined;
  }

  override async deleteUnusedCredentials(databaseIds: ReadonlySet<string>, before: Date): Promise<void> {
    await this.prisma.databaseCredential.deleteMany({
      where: { createdAt: { lt: before }, databaseId: { notIn: [...databaseIds] } },
    });
  }

  async #execute(
    databaseId: string,
    command: DatabaseCommand,
    write: (client: pg.ClientBase, events: readonly DatabaseEvent[]) => Promise<unknown>,
  ): Promise<void> {
    await this.transactions.execute({ decider: database, streamId: databaseStream(databaseId), command, write });
  }
}

const rowOf = (databaseId: string): string => `database_credentials/${databaseId}`;
