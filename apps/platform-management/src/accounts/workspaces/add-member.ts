import { addMember, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { canonicalAddress } from '../users/email-address.js';
import { invitationReply } from './member-reply.js';
import { WorkspaceRepository } from './workspace-repository.js';

/** Lets an owner invite an address, whether or not a user has it. Nobody becomes a member without accepting. */
@Handles(addMember)
export class AddMember {
  constructor(private readonly workspaces: WorkspaceRepository) {}

  async execute({ actor_id, id, email, role }: RequestOf<typeof addMember>): Promise<ReplyOf<typeof addMember>> {
    const address = canonicalAddress(email);
    if (address === undefined) throw new Refusal('invalid_input', `email: "${email}" must be a valid email address`);
    return invitationReply(await this.workspaces.invite({ workspaceId: id, email: address, role, actorId: actor_id }));
  }
}
