import { Injectable } from '@nestjs/common';
import { listDatabases, type ReplyOf, type RequestOf } from '@postern/contracts';
import type { RecordedEvent } from '@postern/event-sourcing';
import type { Projection, ProjectionTransaction } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { type Database, PrismaClient } from '../generated/prisma/client.js';
import { READ_MODELS } from '../infrastructure/postgres/read-models.js';
import { DATABASE_EVENT_TYPES, type DatabaseEvent } from './database.js';
import { databaseReply } from './database-reply.js';
import {
  DELETE_DATABASE,
  INSERT_DATABASE,
  UPDATE_DATABASE_STATUS,
  UPDATE_EXTERNAL_ACCESS,
  UPDATE_READ_ONLY_REASON,
} from './databases.sql.js';
import { type DatabaseRow } from './ports.js';

const apply = (event: DatabaseEvent, tx: ProjectionTransaction): Promise<unknown> => {
  const { database_id } = event.data;
  const enter = (status: DatabaseRow['status'], reason: string | null) =>
    tx.query(UPDATE_DATABASE_STATUS(tx), [database_id, status, reason]);
  const restrict = (reason: string | null) => tx.query(UPDATE_READ_ONLY_REASON(tx), [database_id, reason]);
  switch (event.type) {
    case 'platform-management.database-created.v1': {
      const { workspace_id, name, kind, plan, limits, host, port, at, version } = event.data;
      const { cpu_millicores, memory_bytes, storage_bytes, connections } = limits;
      return tx.query(INSERT_DATABASE(tx), [
        database_id,
        workspace_id,
        name,
        kind,
        plan,
        cpu_millicores,
        memory_bytes,
        storage_bytes,
        connections,
        host,
        port,
        at,
        version ?? null,
      ]);
    }
    case 'platform-management.database-became-available.v1':
      return enter('running', null);
    case 'platform-management.database-became-unavailable.v1':
      return enter('unavailable', event.data.reason);
    case 'platform-management.database-became-read-only.v1':
      return restrict(event.data.reason);
    case 'platform-management.database-became-writable.v1':
      return restrict(null);
    case 'platform-management.database-provisioning-failed.v1':
      return enter('failed', event.data.reason);
    case 'platform-management.database-external-access-changed.v1': {
      const { enabled, allowed_cidrs } = event.data;
      return tx.query(UPDATE_EXTERNAL_ACCESS(tx), [database_id, enabled, allowed_cidrs]);
    }
    case 'platform-management.database-deletion-requested.v1':
      return enter('deleting', null);
    case 'platform-management.database-deleted.v1':
      return tx.query(DELETE_DATABASE(tx), [database_id]);
  }
};

/** Databases that have not been deleted. */
export const databases: Projection = {
  ...READ_MODELS.databases,
  version: 1,
  tables: ['databases'],
  eventTypes: DATABASE_EVENT_TYPES,
  apply: async (events, tx) => {
    for (const event of events) await apply(event as RecordedEvent & DatabaseEvent, tx);
  },
};

/** The read model of databases, without credentials. */
@Injectable()
export class Databases {
  constructor(private readonly prisma: PrismaClient) {}

  async find(databaseId: string): Promise<DatabaseRow | undefined> {
    const row = await this.prisma.database.findUnique({ where: { id: databaseId } });
    return row ? (await this.#rowsOf([row]))[0] : undefined;
  }

  /** The user that owns the database; undefined once it is gone. */
  async usernameOf(databaseId: string): Promise<string | undefined> {
    const select = { username: true };
    return (await this.prisma.databaseCredential.findUnique({ where: { databaseId }, select }))?.username;
  }

  /** Databases of all workspaces, for the reconciler. */
  async all(): Promise<readonly DatabaseRow[]> {
    return this.#rowsOf(await this.prisma.database.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }));
  }

  /** The runtime may have moved a database to another host since its creation. */
  async #rowsOf(rows: readonly Database[]): Promise<readonly DatabaseRow[]> {
    const where = { databaseId: { in: rows.map(({ id }) => id) }, host: { not: null } };
    const moved = await this.prisma.databaseCredential.findMany({ where, select: { databaseId: true, host: true } });
    const hosts = new Map(moved.map(({ databaseId, host }) => [databaseId, host]));
    return rows.map(row => rowOf({ ...row, host: hosts.get(row.id) ?? row.host }));
  }

  /** Lists the databases of a workspace, oldest first. */
  @Handles(listDatabases)
  async list(request: RequestOf<typeof listDatabases>): Promise<ReplyOf<typeof listDatabases>> {
    const { workspace_id, project_ids, limit, offset } = request;
    if (project_ids) return { items: [], total: 0, limit, offset };
    const where = { workspaceId: workspace_id };
    const [rows, total] = await Promise.all([
      this.prisma.database.findMany({
        where,
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: limit,
        skip: offset,
      }),
      this.prisma.database.count({ where }),
    ]);
    return { items: (await this.#rowsOf(rows)).map(databaseReply), total, limit, offset };
  }
}

/** `statusReason` explains the status, or why the database is read-only. */
const rowOf = (row: Database): DatabaseRow => ({
  id: row.id,
  workspaceId: row.workspaceId,
  name: row.name,
  kind: row.kind as DatabaseRow['kind'],
  status: row.status as DatabaseRow['status'],
  statusReason: row.statusReason ?? row.readOnlyReason ?? undefined,
  plan: row.plan,
  limits: {
    cpuMillicores: row.cpuMillicores,
    memoryBytes: Number(row.memoryBytes),
    storageBytes: Number(row.storageBytes),
    connections: row.connections,
  },
  host: row.host,
  port: row.port,
  version: row.version ?? undefined,
  externalAccess: { enabled: row.externalAccess, allowedCidrs: row.allowedCidrs },
  createdAt: row.createdAt,
});
