import { Injectable } from '@nestjs/common';
import { type DatabaseOrder, DatabaseRuntime } from '@postern/runtime';
import { attachmentAccess } from '../infrastructure/encryption/attachment-access.js';
import { DatabaseAttachments } from './database-attachments.js';
import { DatabaseRepository } from './database-repository.js';
import { Databases } from './databases.projection.js';
import type { DatabaseRow } from './ports.js';

/** What the runtime is told about a database. */
export interface ComposedOrder {
  readonly order: DatabaseOrder;
  /** The number of rotations of the password in the order. */
  readonly rotation: number;
}

const CONNECTED_WITHIN_MS = 5_000;

/** Composes orders for databases from their credentials and attachments. */
@Injectable()
export class DatabaseOrders {
  constructor(
    private readonly databases: DatabaseRepository,
    private readonly attachments: DatabaseAttachments,
    private readonly directory: Databases,
    private readonly runtime: DatabaseRuntime,
  ) {}

  /** Undefined without credentials: the database is being deleted. */
  async compose(row: DatabaseRow): Promise<ComposedOrder | undefined> {
    const attachments = (await this.attachments.all()).get(row.id) ?? [];
    const credentials = await this.databases.credentialsOf(row.id);
    if (!credentials) return undefined;
    const { id: databaseId, kind, host, port, limits, version, externalAccess } = row;
    const { username, password, rotation } = credentials;
    const order = {
      ...{ databaseId, kind, host, port, limits, version, username, password },
      attachedTo: [...new Set(attachments.map(({ webServiceId }) => webServiceId))],
      attachmentUsers: attachments.map(({ id }) => attachmentAccess(id, password)),
      allowedCidrs: externalAccess.enabled ? externalAccess.allowedCidrs : [],
    };
    return { order, rotation };
  }

  /**
   * Lets exactly the attached web services and the allowed networks connect, so that a change of them takes effect at once. If that fails, the
   * reconciler does it later.
   */
  async connect(databaseId: string): Promise<void> {
    const row = await this.directory.find(databaseId);
    if (row?.status !== 'running') return;
    const composed = await this.compose(row);
    const late = AbortSignal.timeout(CONNECTED_WITHIN_MS);
    if (composed) await this.runtime.ensure(composed.order, late).catch(() => undefined);
  }
}
