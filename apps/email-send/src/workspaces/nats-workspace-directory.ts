import { Injectable } from '@nestjs/common';
import { getWorkspaceState } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { WorkspaceDirectory } from './ports.js';

/** Requests the state of workspaces from platform-management over NATS. */
@Injectable()
export class NatsWorkspaceDirectory extends WorkspaceDirectory {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async isDeleted(workspace_id: string): Promise<boolean> {
    return (await this.requests.request(getWorkspaceState, { workspace_id })).deleted;
  }
}
