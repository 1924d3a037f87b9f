import { Injectable } from '@nestjs/common';
import type { createWorkspace, ReplyOf, RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { UserRegistry } from './ports.js';

/** A further workspace, which its creator joins at once. Refuses users that do not exist. */
@Injectable()
export class CreateWorkspace {
  constructor(private readonly users: UserRegistry) {}

  async execute({ user_id, name }: RequestOf<typeof createWorkspace>): Promise<ReplyOf<typeof createWorkspace>> {
    const workspace = { id: uuidv7(), name };
    await this.users.createWorkspace(user_id, workspace);
    return workspace;
  }
}
