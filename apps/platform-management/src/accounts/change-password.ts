import { changePassword, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { LoginGuard } from './login-guard.js';
import { AccountDirectory, PasswordHasher, PasswordRules, UserRepository } from './ports.js';

/** Replaces a password and ends all sessions of the user. Limits wrong current passwords separately from failed logins. */
@Handles(changePassword)
export class ChangePassword {
  constructor(
    private readonly guard: LoginGuard,
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly rules: PasswordRules,
  ) {}

  async execute(request: RequestOf<typeof changePassword>): Promise<ReplyOf<typeof changePassword>> {
    const { user_id, current_password, new_password } = request;
    const account = await this.accounts.find(user_id);
    const verified =
      account &&
      (await this.guard.attemptInSession(account.email, async () => {
        const known = await this.users.passwordHashOf(user_id);
        return (await this.passwords.verify(known, current_password)) ? known : undefined;
      }));
    const ownWords = [account?.email ?? '', ...(account?.workspaces ?? []).map(({ name }) => name)];
    const problem = verified === undefined ? undefined : this.rules.problemOf(new_password, ownWords);
    if (problem !== undefined) throw new Refusal('invalid_input', `new_password: ${problem}`);
    const replaced =
      verified !== undefined &&
      (await this.users.replacePassword(user_id, verified, await this.passwords.hash(new_password)));
    if (!replaced) throw new Refusal('credentials_wrong', 'the current password is incorrect');
    return {};
  }
}
