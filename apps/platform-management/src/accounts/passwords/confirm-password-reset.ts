import { confirmPasswordReset, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { tokenInvalid } from '../mailed-token.js';
import { DeviceTokens } from '../sessions/device-tokens.js';
import { guessableTermsOf, NewPasswords } from '../users/new-passwords.js';
import { AccountDirectory } from '../users/ports.js';
import { Passwords } from './passwords.js';

/** Sets a new password with the token of a mailed link, which works once, and ends all sessions of the user. */
@Handles(confirmPasswordReset)
export class ConfirmPasswordReset {
  constructor(
    private readonly resets: Passwords,
    private readonly accounts: AccountDirectory,
    private readonly passwords: NewPasswords,
    private readonly devices: DeviceTokens,
  ) {}

  async execute(request: RequestOf<typeof confirmPasswordReset>): Promise<ReplyOf<typeof confirmPasswordReset>> {
    const { token, password } = request;
    const userId = await this.resets.userOf(token);
    const account = userId === undefined ? undefined : await this.accounts.find(userId);
    if (!account) throw tokenInvalid();
    const passwordHash = await this.passwords.hash('password', password, guessableTermsOf(account));
    if (!(await this.resets.confirm(account.id, token, passwordHash))) throw tokenInvalid();
    return { device_token: this.devices.tokenOf(account.id) };
  }
}
