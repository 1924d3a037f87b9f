import { changePassword, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { guessableTermsOf, NewPasswords } from '../users/new-passwords.js';
import { passwordWrong, Reauthentication } from '../users/reauthentication.js';
import { Passwords } from './passwords.js';

/** Replaces a password and ends all sessions of the user. */
@Handles(changePassword)
export class ChangePassword {
  constructor(
    private readonly reauthentication: Reauthentication,
    private readonly passwords: Passwords,
    private readonly newPasswords: NewPasswords,
  ) {}

  async execute(request: RequestOf<typeof changePassword>): Promise<ReplyOf<typeof changePassword>> {
    const { user_id, current_password, new_password } = request;
    const { account, passwordHash } = await this.reauthentication.withPassword(user_id, current_password);
    const newHash = await this.newPasswords.hash('new_password', new_password, guessableTermsOf(account));
    if (!(await this.passwords.replace(user_id, passwordHash, newHash))) throw passwordWrong();
    return {};
  }
}
