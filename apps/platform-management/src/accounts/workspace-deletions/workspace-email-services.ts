import { Injectable } from '@nestjs/common';
import { closeWorkspace } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';

/** Sends requests to email-send over NATS. */
@Injectable()
export class WorkspaceEmailServices {
  constructor(private readonly requests: RequestClient) {}

  async countOf(workspace_id: string): Promise<number> {
    return (await this.requests.request(closeWorkspace, { workspace_id })).email_services;
  }

  /**
   * Closes a workspace without email services: creations in it are refused from now on.
   * @returns the number of email services; unless it is 0, the workspace is not closed.
   */
  async close(workspace_id: string, closing_id: string): Promise<number> {
    return (await this.requests.request(closeWorkspace, { workspace_id, closing_id })).email_services;
  }
}
