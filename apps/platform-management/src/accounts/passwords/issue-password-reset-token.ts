import { issuePasswordResetToken, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Passwords } from './passwords.js';

/** Generates the token for the mail about a request, if the address belongs to a user who can sign in. */
@Handles(issuePasswordResetToken)
export class IssuePasswordResetToken {
  constructor(private readonly resets: Passwords) {}

  async execute({
    request_id,
  }: RequestOf<typeof issuePasswordResetToken>): Promise<ReplyOf<typeof issuePasswordResetToken>> {
    return { mail: (await this.resets.issueToken(request_id)) ?? null };
  }
}
