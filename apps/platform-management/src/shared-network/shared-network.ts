import { Injectable } from '@nestjs/common';
import { Runtime } from '@postern/runtime';
import { Database } from '@postern/service-host';
import { FIRST_WORKSPACE } from './shared-network.sql.js';

const REFUSAL =
  'web services and databases of a second workspace do not run on this machine: every program on it could take the ports of the others and of the platform. The operator can install nftables and iproute2, and run Postern as root or install passt, or set POSTERN_SHARED_NETWORK=true if nobody else deploys here';

/** Lets the workspace with the oldest web service or database run its code. */
@Injectable()
export class SharedNetwork {
  constructor(
    private readonly runtime: Runtime,
    private readonly database: Database,
  ) {}

  /** Why the code of this workspace may not run; undefined if it may. */
  async refusalFor(workspaceId: string): Promise<string | undefined> {
    if (!(await this.runtime.features()).has('sharedNetwork')) return undefined;
    const { rows } = await this.database.pool.query<{ workspace_id: string }>(FIRST_WORKSPACE);
    return rows.every(({ workspace_id }) => workspace_id === workspaceId) ? undefined : REFUSAL;
  }
}
