import { Injectable } from '@nestjs/common';
import { getWorkspaceOwners } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { WorkspaceOwners } from './ports.js';

/** Requests the owners of workspaces from platform-management over NATS. */
@Injectable()
export class NatsWorkspaceOwners extends WorkspaceOwners {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async addressesIn(workspace_id: string): Promise<readonly string[]> {
    const { recipients } = await this.requests.request(getWorkspaceOwners, { workspace_id });
    return recipients.map(({ email }) => email);
  }
}
