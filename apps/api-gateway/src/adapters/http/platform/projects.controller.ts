import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { createProject, getProject, listProjects, projectInput } from '@postern/contracts';
import type { z } from 'zod';
import { Services } from '../../../ports.js';
import { Acting, type ActingUser } from '../acting-user.js';
import { id } from '../input/parameters.js';
import { Answers } from '../openapi/describe.js';
import { NEW_PROJECT, PROJECT } from './examples.js';

@Controller('api/v1/projects')
export class ProjectsController {
  constructor(private readonly services: Services) {}

  @Get()
  @Answers(listProjects, 'All projects of the user, oldest first', { examples: { reply: [PROJECT] } })
  list(@Acting() user: ActingUser) {
    return this.services.ask(listProjects, { user_id: user.userId }, user);
  }

  @Post()
  @Answers(createProject, 'Create a project', { examples: { body: NEW_PROJECT, reply: PROJECT } })
  create(@Acting() user: ActingUser, @Body({ schema: projectInput }) body: z.output<typeof projectInput>) {
    const { userId: user_id, workspaceId: workspace_id } = user;
    return this.services.ask(createProject, { user_id, workspace_id, ...body }, user);
  }

  @Get(':project_id')
  @Answers(getProject, 'One project', { examples: { reply: PROJECT } })
  get(@Acting() user: ActingUser, @Param('project_id', { schema: id }) project_id: string) {
    return this.services.ask(getProject, { user_id: user.userId, project_id }, user);
  }
}
