import { acceptInvitation, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { v7 as uuidv7 } from 'uuid';
import { hashOfMailedToken } from './mailed-token.js';
import { tokenInvalid } from './password-reset.js';
import { MemberRepository, PasswordHasher, PasswordRules } from './ports.js';

/** Creates the invited user with the chosen password and the role of the invitation. Each invitation works once. */
@Handles(acceptInvitation)
export class AcceptInvitation {
  constructor(
    private readonly members: MemberRepository,
    private readonly passwords: PasswordHasher,
    private readonly rules: PasswordRules,
  ) {}

  async execute({ token, password }: RequestOf<typeof acceptInvitation>): Promise<ReplyOf<typeof acceptInvitation>> {
    const tokenHash = hashOfMailedToken(token);
    const invitation = await this.members.findInvitation(tokenHash);
    if (!invitation) throw tokenInvalid();
    const problem = this.rules.problemOf(password, [invitation.email]);
    if (problem !== undefined) throw new Refusal('invalid_input', `password: ${problem}`);
    const passwordHash = await this.passwords.hash(password);
    await this.members.accept(invitation, tokenHash, { userId: uuidv7(), passwordHash });
    return { email: invitation.email };
  }
}
