import { Injectable } from '@nestjs/common';
import { type createWorkspace, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Streams } from '@postern/event-sourcing';
import { v7 as uuidv7 } from 'uuid';
import { user, userStream } from '../domain/user.js';
import { workspace, workspaceStream } from '../domain/workspace.js';

/** A further workspace, which its creator joins at once. Refuses users that do not exist. */
@Injectable()
export class CreateWorkspace {
  constructor(private readonly streams: Streams) {}

  async execute({ user_id, name }: RequestOf<typeof createWorkspace>): Promise<ReplyOf<typeof createWorkspace>> {
    const id = uuidv7();
    const at = new Date().toISOString();
    const { id: known } = await this.streams.stateOf(user, userStream(user_id));
    if (!known) throw new Refusal('user_not_found', 'there is no such user');
    await this.streams.execute(workspace, workspaceStream(id), {
      kind: 'create',
      workspaceId: id,
      name,
      createdBy: user_id,
      at,
    });
    await this.streams.execute(user, userStream(user_id), { kind: 'join-workspace', workspaceId: id, at });
    return { id, name };
  }
}
