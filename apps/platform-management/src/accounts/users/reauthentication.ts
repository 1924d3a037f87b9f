import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { LoginGuard } from '../login-limits/login-guard.js';
import { PasswordHasher } from './password-hasher.js';
import { type Account, AccountDirectory } from './ports.js';
import { UserRepository } from './user-repository.js';

/** A user who has entered the password again, and the hash that it was verified against. */
export interface ReauthenticatedUser {
  readonly account: Account;
  readonly passwordHash: string;
}

/** Re-authenticates signed-in users. Limits failed attempts separately from failed logins. */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly guard: LoginGuard,
    private readonly users: UserRepository,
    private readonly accounts: AccountDirectory,
    private readonly passwords: PasswordHasher,
  ) {}

  /** @throws the refusals `credentials_wrong` and `too_many_attempts`. */
  async withPassword(userId: string, password: string): Promise<ReauthenticatedUser> {
    const account = await this.accounts.find(userId);
    const passwordHash =
      account &&
      (await this.guard.attemptInSession(account.email, async () => {
        const known = await this.users.passwordHashOf(userId);
        return (await this.passwords.verify(known, password)) ? known : undefined;
      }));
    if (!account || passwordHash === undefined) throw passwordWrong();
    return { account, passwordHash };
  }
}

export const passwordWrong = (): Refusal => new Refusal('credentials_wrong', 'the current password is incorrect');
