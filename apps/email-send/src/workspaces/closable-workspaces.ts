import { Injectable } from '@nestjs/common';
import { deletedWorkspacesConsumer } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { Streams } from '@postern/event-sourcing';
import { type EventBatch, HandlesEvents } from '@postern/messaging';
import { WorkspaceDirectory, Workspaces } from './ports.js';
import { workspace, workspaceStream } from './workspace.js';

/** Closed workspaces are those with an event that closed them; all others are open. */
@Injectable()
export class ClosableWorkspaces extends Workspaces {
  constructor(
    private readonly streams: Streams,
    private readonly directory: WorkspaceDirectory,
  ) {
    super();
  }

  @HandlesEvents(deletedWorkspacesConsumer.contracts, deletedWorkspacesConsumer)
  async on(events: EventBatch<(typeof deletedWorkspacesConsumer.contracts)[number]>): Promise<void> {
    for (const { data } of events) {
      const command = { kind: 'learn-deletion', workspaceId: data.workspace_id, at: data.at } as const;
      await this.streams.execute(workspace, workspaceStream(data.workspace_id), command);
    }
  }

  override async reopen(workspaceId: string): Promise<void> {
    const { closedBy: closingId } = await this.#stateOf(workspaceId);
    if (closingId === undefined || (await this.directory.isDeleted(workspaceId))) return;
    const command = { kind: 'reopen', workspaceId, closingId, at: new Date().toISOString() } as const;
    await this.streams.execute(workspace, workspaceStream(workspaceId), command);
  }

  override async requireOpen(workspaceId: string): Promise<void> {
    const { closedBy, deleted } = await this.#stateOf(workspaceId);
    if (closedBy !== undefined || deleted)
      throw new Refusal('workspace_not_found', 'the workspace was deleted, or is being deleted');
  }

  #stateOf(workspaceId: string) {
    return this.streams.stateOf(workspace, workspaceStream(workspaceId));
  }
}
