import { createDatabase, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { DatabaseRuntime } from '@postern/runtime';
import { v7 as uuidv7 } from 'uuid';
import { WorkspaceUsage } from '../accounts/quotas/workspace-usage.js';
import { SharedNetwork } from '../shared-network/shared-network.js';
import { CUSTOMER, connectionUrl } from '../web-services/environment/connection-url.js';
import { limitsOfPlan } from './database-plans.js';
import { databaseReply, limitsReply } from './database-reply.js';
import { DatabaseRepository } from './database-repository.js';
import { newPassword } from './new-password.js';
import { RestoreSources } from './restore-sources.js';

const MIB = 2 ** 20;

/**
 * Requests a database and returns its connection URL, which is shown only here. The reconciler creates it afterwards.
 * Refuses with `invalid_input` for an unknown plan or the version of a key-value store, with `quota_reached`, with `technology_missing`, and
 * as `RestoreSources` does.
 */
@Handles(createDatabase)
export class CreateDatabase {
  constructor(
    private readonly runtime: DatabaseRuntime,
    private readonly databases: DatabaseRepository,
    private readonly usage: WorkspaceUsage,
    private readonly sharedNetwork: SharedNetwork,
    private readonly sources: RestoreSources,
  ) {}

  async execute(request: RequestOf<typeof createDatabase>): Promise<ReplyOf<typeof createDatabase>> {
    const { workspace_id, name, kind, plan } = request;
    const limits = limitsOfPlan(plan);
    if (kind === 'key_value' && request.version !== undefined)
      throw new Refusal('invalid_input', 'version: only a relational database has a version to choose');
    const places = {
      databases: 1,
      database_creations: 1,
      memory_mib: limits.memoryBytes / MIB,
      disk_mib: limits.storageBytes / MIB,
    };
    // `create` checks the quota again; this check prevents a refused request from reserving a port.
    await this.usage.hasPlaces(workspace_id, places);
    const source = await this.sources.find(request, limits);
    const version = source ? source.version : request.version;
    const missing =
      (await this.sharedNetwork.refusalFor(workspace_id)) ?? (await this.runtime.missingFor(kind, version));
    if (missing !== undefined) throw new Refusal('technology_missing', missing);

    const id = uuidv7();
    const { host, port } = await this.runtime.reserve(id, kind);
    const credentials = { username: source?.username ?? CUSTOMER, password: newPassword() };
    const createdAt = new Date();
    const at = createdAt.toISOString();
    // If this fails, the reconciler releases the port, because no event refers to it.
    await this.databases.create(
      { database_id: id, workspace_id, name, kind, plan, limits: limitsReply(limits), host, port, at, version },
      credentials,
      this.usage.limitOf(workspace_id, places),
      source,
    );
    return {
      ...databaseReply({ id, name, kind, status: 'creating', statusReason: undefined, plan, limits, host, createdAt }),
      connection_url: connectionUrl(kind, { ...credentials, host, port }),
    };
  }
}
