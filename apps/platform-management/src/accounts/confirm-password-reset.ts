import { confirmPasswordReset, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { hashOfMailedToken } from './mailed-token.js';
import { tokenInvalid } from './password-reset.js';
import { AccountDirectory, PasswordHasher, PasswordResets, PasswordRules } from './ports.js';

/** Sets a new password with the token of a mailed link, which works once, and ends all sessions of the user. */
@Handles(confirmPasswordReset)
export class ConfirmPasswordReset {
  constructor(
    private readonly resets: PasswordResets,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly rules: PasswordRules,
  ) {}

  async execute(request: RequestOf<typeof confirmPasswordReset>): Promise<ReplyOf<typeof confirmPasswordReset>> {
    const tokenHash = hashOfMailedToken(request.token);
    const userId = await this.resets.userOf(tokenHash);
    const account = userId === undefined ? undefined : await this.accounts.find(userId);
    if (!account) throw tokenInvalid();
    const problem = this.rules.problemOf(request.password, [
      account.email,
      ...account.workspaces.map(({ name }) => name),
    ]);
    if (problem !== undefined) throw new Refusal('invalid_input', `password: ${problem}`);
    const passwordHash = await this.passwords.hash(request.password);
    if (!(await this.resets.confirm(account.id, tokenHash, passwordHash))) throw tokenInvalid();
    return {};
  }
}
