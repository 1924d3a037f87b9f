import { Injectable } from '@nestjs/common';
import { type changePassword, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { LOGIN_WINDOW_S, refuseGuessing } from '../domain/login-limit.js';
import { AccountDirectory, LoginFailures, PasswordHasher, Sessions, UserRegistry } from '../ports.js';

/** Replaces a password and ends every session that the old one opened. Guessing the old one counts as failed logins. */
@Injectable()
export class ChangePassword {
  constructor(
    private readonly users: UserRegistry,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
    private readonly failures: LoginFailures,
    private readonly sessions: Sessions,
  ) {}

  async execute({
    user_id,
    current_password,
    new_password,
  }: RequestOf<typeof changePassword>): Promise<ReplyOf<typeof changePassword>> {
    const account = await this.accounts.find(user_id);
    if (!account) throw new Refusal('credentials_wrong', 'the current password is wrong');
    const { ofAccount } = await this.failures.recent(account.email, '', LOGIN_WINDOW_S);
    refuseGuessing({ ofAccount, ofAddress: 0 });
    if (!(await this.passwords.verify(await this.users.passwordHashOf(user_id), current_password))) {
      await this.failures.record(account.email, '');
      throw new Refusal('credentials_wrong', 'the current password is wrong');
    }
    await this.users.replacePassword(user_id, await this.passwords.hash(new_password));
    await this.sessions.endAllOf(user_id);
    return {};
  }
}
