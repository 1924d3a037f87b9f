import { acceptInvitation, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { tokenInvalid } from '../mailed-token.js';
import { NewPasswords } from '../users/new-passwords.js';
import { WorkspaceRepository } from './workspace-repository.js';

/** Creates the invited user with the chosen password and the role of the invitation. Each invitation works once. */
@Handles(acceptInvitation)
export class AcceptInvitation {
  constructor(
    private readonly workspaces: WorkspaceRepository,
    private readonly passwords: NewPasswords,
  ) {}

  async execute({ token, password }: RequestOf<typeof acceptInvitation>): Promise<ReplyOf<typeof acceptInvitation>> {
    const invitation = await this.workspaces.findInvitation(token);
    if (!invitation) throw tokenInvalid();
    const passwordHash = await this.passwords.hash('password', password, [invitation.email]);
    await this.workspaces.accept(invitation, token, { userId: uuidv7(), passwordHash });
    return { email: invitation.email };
  }
}
