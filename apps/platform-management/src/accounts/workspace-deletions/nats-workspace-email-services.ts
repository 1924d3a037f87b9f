import { Injectable } from '@nestjs/common';
import { closeWorkspace } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { WorkspaceEmailServices } from './ports.js';

/** Sends requests to email-send over NATS. */
@Injectable()
export class NatsWorkspaceEmailServices extends WorkspaceEmailServices {
  constructor(private readonly requests: RequestClient) {
    super();
  }

  override async countOf(workspace_id: string): Promise<number> {
    return (await this.requests.request(closeWorkspace, { workspace_id })).email_services;
  }

  override async close(workspace_id: string, closing_id: string): Promise<number> {
    return (await this.requests.request(closeWorkspace, { workspace_id, closing_id })).email_services;
  }
}
