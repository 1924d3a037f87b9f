import { addMember, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { canonicalAddress } from '../users/email-address.js';
import { UserRepository } from '../users/ports.js';
import { invitationReply, memberReplyOf } from './member-reply.js';
import { WorkspaceDirectory, WorkspaceRepository } from './ports.js';

/** Lets an owner add a user to a workspace, or invite an address without a user. Refuses existing members. */
@Handles(addMember)
export class AddMember {
  constructor(
    private readonly users: UserRepository,
    private readonly workspaces: WorkspaceRepository,
    private readonly directory: WorkspaceDirectory,
  ) {}

  async execute({ actor_id, id, email, role }: RequestOf<typeof addMember>): Promise<ReplyOf<typeof addMember>> {
    const address = canonicalAddress(email);
    if (address === undefined) throw new Refusal('invalid_input', `email: "${email}" must be a valid email address`);
    const userId = (await this.users.credentialsOf(address))?.userId;
    if (userId === undefined)
      return invitationReply(
        await this.workspaces.invite({ workspaceId: id, email: address, role, actorId: actor_id }),
      );
    const at = new Date().toISOString();
    await this.workspaces.execute(id, { kind: 'add-member', userId, role, actorId: actor_id, at });
    return memberReplyOf(this.directory, id, userId);
  }
}
