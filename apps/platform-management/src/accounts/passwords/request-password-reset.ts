import { type ReplyOf, type RequestOf, requestPasswordReset } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { clientNetworkOf } from '@postern/service-host';
import { canonicalAddress } from '../users/email-address.js';
import { Passwords } from './passwords.js';

/**
 * Records a password reset request. The user is looked up later, when the mail is issued, so that neither the reply nor
 * its timing reveals whether the address belongs to a user.
 */
@Handles(requestPasswordReset)
export class RequestPasswordReset {
  constructor(private readonly resets: Passwords) {}

  async execute({ email, ip }: RequestOf<typeof requestPasswordReset>): Promise<ReplyOf<typeof requestPasswordReset>> {
    const address = canonicalAddress(email);
    if (address !== undefined) await this.resets.request(address, clientNetworkOf(ip));
    return {};
  }
}
