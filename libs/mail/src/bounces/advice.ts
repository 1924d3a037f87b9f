import type { BounceName } from './bounce-rule.js';

/** The explanation and the advice for the owner, by cause. */
export const ADVICE: Readonly<Record<BounceName, string>> = {
  unknown_user: 'The address does not exist. Remove it from your recipients.',
  no_such_domain: 'The domain of the address does not exist or has no mail server. Check the spelling of the address.',
  bad_address: 'The receiving server does not accept the form of the address. Check its spelling.',
  moved: 'The recipient has another address now. Ask for it, and remove this one.',
  null_mx: 'The domain of the address does not accept mail. Remove the address.',
  mailbox_disabled: 'The mailbox is disabled. Remove the address until its owner confirms it again.',
  mailbox_full: 'The mailbox is full. Try again in a few days.',
  message_too_big: 'The message is larger than the recipient accepts. Send a smaller one.',
  sender_rejected:
    'The receiving server does not accept the sender. Check the From address and the records of its domain.',
  authentication: 'SPF, DKIM or DMARC did not pass. Verify the records of your sending domain.',
  reputation:
    'The receiving server blocks the sending server or domain for its reputation. Request delisting from the list or provider that the reply names.',
  rate_limited: 'The recipient or your server got too many messages in a short time. Send more slowly.',
  relaying_denied:
    'The mail server in the MX records of the domain does not accept mail for this recipient. The recipient must correct the MX records or the mailbox.',
  policy: 'The receiving server rejected the message because of its policy. Ask the recipient to allow your address.',
  content: 'The receiving server classified the message as spam or harmful. Check its content and links.',
  loop: 'The message was caught in a forwarding loop between mail servers. The recipient must correct the forwarding.',
  expired: 'The receiving server did not accept the message in time. Try again later.',
  unreachable: 'The receiving server could not be reached. Try again later.',
  system: 'The receiving server has a fault or is short of resources. Try again later.',
  protocol: 'A mail server reported a protocol error. Try again. If the error persists, tell your operator.',
  other: 'The receiving server gave no clear reason. Read its response, and try again later.',
};
