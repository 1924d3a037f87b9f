import { changePassword, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { guessableTermsOf, NewPasswords } from './new-passwords.js';
import { UserRepository } from './ports.js';
import { passwordWrong, Reauthentication } from './reauthentication.js';

/** Replaces a password and ends all sessions of the user. */
@Handles(changePassword)
export class ChangePassword {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly users: UserRepository,
    private readonly passwords: NewPasswords,
  ) {}

  async execute(request: RequestOf<typeof changePassword>): Promise<ReplyOf<typeof changePassword>> {
    const { user_id, current_password, new_password } = request;
    const { account, passwordHash } = await this.reauthentication.withPassword(user_id, current_password);
    const newHash = await this.passwords.hash('new_password', new_password, guessableTermsOf(account));
    if (!(await this.users.replacePassword(user_id, passwordHash, newHash))) throw passwordWrong();
    return {};
  }
}
