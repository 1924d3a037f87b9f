import { Injectable } from '@nestjs/common';
import type { createProject, ReplyOf, RequestOf } from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { ResourceStreams } from '../environment/ports.js';
import { project, projectStream } from './project.js';

@Injectable()
export class CreateProject {
  constructor(private readonly streams: ResourceStreams) {}

  async execute(request: RequestOf<typeof createProject>): Promise<ReplyOf<typeof createProject>> {
    const id = uuidv7();
    const at = new Date().toISOString();
    const { name, description = null } = request;
    await this.streams.execute(project, projectStream(id), {
      kind: 'create',
      projectId: id,
      userId: request.user_id,
      workspaceId: request.workspace_id,
      name,
      description,
      at,
    });
    return { id, name, description, created_at: at };
  }
}
