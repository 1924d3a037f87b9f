import { type ReplyOf, type RequestOf, requestPasswordReset } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { clientNetworkOf } from '@postern/service-host';
import { canonicalAddress } from './email-address.js';
import { PasswordResets } from './ports.js';

/**
 * Notes that somebody asks for a new password. Whether the address belongs to a user is looked up later, for the mail,
 * so that the reply and its time tell nothing.
 */
@Handles(requestPasswordReset)
export class RequestPasswordReset {
  constructor(private readonly resets: PasswordResets) {}

  async execute({ email, ip }: RequestOf<typeof requestPasswordReset>): Promise<ReplyOf<typeof requestPasswordReset>> {
    const address = canonicalAddress(email);
    if (address !== undefined) await this.resets.request(address, clientNetworkOf(ip));
    return {};
  }
}
