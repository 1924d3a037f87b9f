import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { changePassword, createUser, createWorkspace, getMe } from '@postern/contracts';
import { z } from 'zod';
import { Services } from '../../../ports.js';
import { Answers } from '../openapi/describe.js';
import { SessionGuard } from './session.guard.js';
import { type Session, SignedIn } from './session.js';

const newUser = z.strictObject(createUser.request.omit({ actor_id: true }).shape);
const newWorkspace = z.strictObject(createWorkspace.request.omit({ user_id: true }).shape);
const newPassword = z.strictObject(changePassword.request.omit({ user_id: true }).shape);

@Controller('dashboard/api')
@UseGuards(SessionGuard)
export class UsersController {
  constructor(private readonly services: Services) {}

  @Get('me')
  @Answers(getMe, 'Who is signed in, and in which workspace')
  me(@SignedIn() session: Session) {
    return this.services.ask(getMe, { user_id: session.userId, workspace_id: session.workspaceId }, session);
  }

  @Post('me/password')
  @HttpCode(200)
  @Answers(changePassword, 'Change the own password')
  changePassword(@SignedIn() session: Session, @Body({ schema: newPassword }) body: z.output<typeof newPassword>) {
    return this.services.ask(changePassword, { user_id: session.userId, ...body }, session);
  }

  @Post('users')
  @Answers(createUser, 'Create a user with a workspace of their own (operators only)')
  createUser(@SignedIn() session: Session, @Body({ schema: newUser }) body: z.output<typeof newUser>) {
    return this.services.ask(createUser, { actor_id: session.userId, ...body }, session);
  }

  @Post('workspaces')
  @Answers(createWorkspace, 'Create a workspace')
  createWorkspace(@SignedIn() session: Session, @Body({ schema: newWorkspace }) body: z.output<typeof newWorkspace>) {
    return this.services.ask(createWorkspace, { user_id: session.userId, ...body }, session);
  }
}
