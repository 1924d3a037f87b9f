import { Controller } from '@nestjs/common';
import { changePassword, createUser, createWorkspace, getMe, type ReplyOf, type RequestOf } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { ChangePassword } from './change-password.js';
import { CreateUser } from './create-user.js';
import { CreateWorkspace } from './create-workspace.js';
import { GetMe } from './get-me.js';

/** Users and their workspaces. */
@Controller()
export class UsersController {
  constructor(
    private readonly me: GetMe,
    private readonly creating: CreateUser,
    private readonly workspaces: CreateWorkspace,
    private readonly passwords: ChangePassword,
  ) {}

  @HandlesRequest(getMe)
  getMe(request: RequestOf<typeof getMe>): Promise<ReplyOf<typeof getMe>> {
    return this.me.execute(request);
  }

  @HandlesRequest(createUser)
  createUser(request: RequestOf<typeof createUser>): Promise<ReplyOf<typeof createUser>> {
    return this.creating.execute(request);
  }

  @HandlesRequest(createWorkspace)
  createWorkspace(request: RequestOf<typeof createWorkspace>): Promise<ReplyOf<typeof createWorkspace>> {
    return this.workspaces.execute(request);
  }

  @HandlesRequest(changePassword)
  changePassword(request: RequestOf<typeof changePassword>): Promise<ReplyOf<typeof changePassword>> {
    return this.passwords.execute(request);
  }
}
