import { Injectable } from '@nestjs/common';
import { deletedWorkspacesConsumer, getWorkspaceOwners, getWorkspaceState } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { Streams } from '@postern/event-sourcing';
import { type EventBatch, HandlesEvents, RequestClient } from '@postern/messaging';
import { workspace, workspaceStream } from './workspace.js';

/** The workspaces of email services. Those with an event that closed them are closed; all others are open. */
@Injectable()
export class Workspaces {
  constructor(
    private readonly streams: Streams,
    private readonly requests: RequestClient,
  ) {}

  @HandlesEvents(deletedWorkspacesConsumer.contracts, deletedWorkspacesConsumer)
  async on(events: EventBatch<(typeof deletedWorkspacesConsumer.contracts)[number]>): Promise<void> {
    for (const { data } of events) {
      const command = { kind: 'learn-deletion', workspaceId: data.workspace_id, at: data.at } as const;
      await this.streams.execute(workspace, workspaceStream(data.workspace_id), command);
    }
  }

  /**
   * Opens a workspace that a failed deletion has closed. Waits for a deletion in progress, so the caller must not hold the
   * lock that closes workspaces.
   */
  async reopen(workspaceId: string): Promise<void> {
    const { closedBy: closingId } = await this.#stateOf(workspaceId);
    if (closingId === undefined) return;
    const { deleted } = await this.requests.request(getWorkspaceState, { workspace_id: workspaceId });
    if (deleted) return;
    const command = { kind: 'reopen', workspaceId, closingId, at: new Date().toISOString() } as const;
    await this.streams.execute(workspace, workspaceStream(workspaceId), command);
  }

  /** Refuses `workspace_not_found` for a closed workspace; exact under the lock that closes workspaces. */
  async requireOpen(workspaceId: string): Promise<void> {
    const { closedBy, deleted } = await this.#stateOf(workspaceId);
    if (closedBy !== undefined || deleted)
      throw new Refusal('workspace_not_found', 'the workspace was deleted, or is being deleted');
  }

  /** The addresses of the present owners who can log in and have not turned off mail about email services. */
  async ownerAddressesIn(workspaceId: string): Promise<readonly string[]> {
    const { recipients } = await this.requests.request(getWorkspaceOwners, { workspace_id: workspaceId });
    return recipients.map(({ email }) => email);
  }

  #stateOf(workspaceId: string) {
    return this.streams.stateOf(workspace, workspaceStream(workspaceId));
  }
}
