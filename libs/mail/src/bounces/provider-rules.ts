import type { BounceRule } from './bounce-rule.js';

/** Replies of large providers, by text that only they use, from their published lists of errors. */
export const PROVIDER_RULES: readonly BounceRule[] = [
  {
    id: 'gmail.rate',
    name: 'rate_limited',
    words: /receiving mail (?:at a rate|too quickly)|p=ReceivingRate|has exceeded (?:its|the) (?:rate|daily)/i,
    advice: 'The Gmail mailbox receives more mail than Gmail delivers at the moment. Send again later.',
  },
  {
    id: 'gmail.unsolicited-rate',
    name: 'rate_limited',
    words: /unusual rate of\s+unsolicited mail|p=UnsolicitedRateLimitError/i,
    advice:
      'Gmail limits mail from your IP address because recipients did not want it. Send less, and see postmaster.google.com.',
  },
  {
    id: 'gmail.unsolicited',
    name: 'reputation',
    words: /likely unsolicited mail|p=UnsolicitedMessageError|very low reputation of the sending/i,
    advice: 'Gmail classifies your mail as unwanted. Check the reputation of your domain at postmaster.google.com.',
  },
  {
    id: 'gmail.over-quota',
    name: 'mailbox_full',
    words: /p=OverQuota|recipient's inbox is out of storage|account that you tried to reach is over quota/i,
  },
  {
    id: 'gmail.disabled',
    name: 'mailbox_disabled',
    words: /p=DisabledUser|account that you tried to reach is (?:disabled|inactive)/i,
  },
  {
    id: 'gmail.no-such-user',
    name: 'unknown_user',
    words: /p=NoSuchUser|account that you tried to reach does not\s+exist/i,
  },
  {
    id: 'gmail.unauthenticated',
    name: 'authentication',
    words:
      /p=UnauthenticatedError|this mail (?:is unauthenticated|has been blocked because the sender is unauthenticated)|Gmail requires all senders to authenticate/i,
    advice: 'Gmail requires SPF or DKIM. Verify the records of your sending domain.',
  },
  {
    id: 'google-groups.no-permission',
    name: 'policy',
    words:
      /group you tried to contact .{0,120}may not exist, or you may not have permission|don't have permission to post messages to the group/i,
    advice: 'The Google Group does not exist or does not accept mail from you. Ask its owner for permission to post.',
  },
  {
    id: 'outlook.ip-blocked',
    name: 'reputation',
    words:
      /messages from \[?[\da-f.:]+\]? weren't sent|\(S3[0-9]{3}\)|part of their network is on our block list|block list \(S3/i,
    advice:
      'Outlook.com blocks your IP address: request delisting at https://olcsupport.office.com (mail.live.com/mail/troubleshooting.aspx explains the codes).',
  },
  {
    id: 'outlook.banned-ip',
    name: 'reputation',
    words: /banned sending IP|sender IP .{0,60}blocked|To request removal from this list/i,
    code: /^7\.(?:1|50[12]|511|6\d\d)$/,
    advice: 'Microsoft blocks your IP address: request delisting at https://sender.office.com.',
  },
  {
    id: 'outlook.rate',
    name: 'rate_limited',
    words: /\((?:RP|DY)-00[0-9]\)|exceeded the (?:rate|connection) limit|rate limited due to IP reputation/i,
    advice:
      'Outlook.com limits the rate of your IP address. Send more slowly, and see https://sendersupport.olc.protection.outlook.com/snds/.',
  },
  {
    id: 'outlook.content',
    name: 'content',
    words: /\(SC-00[0-9]\)/i,
    advice:
      'Outlook.com refused the message for its content or the reputation of its sender. See https://sendersupport.olc.protection.outlook.com/pm/troubleshooting.',
  },
  {
    id: 'outlook.mailbox-unavailable',
    name: 'unknown_user',
    words:
      /requested action not taken: mailbox unavailable(?! ?(?:invalid|for|due|because|reject|\. ?(?:for|reject|due)))/i,
    advice: 'The mailbox does not exist or is closed. Remove the address.',
  },
  {
    id: 'exchange-online.unknown-recipient',
    name: 'unknown_user',
    words:
      /remote server returned unknown recipient|RESOLVER\.ADR\.(?:Ex)?RecipNotFound|RecipientNotFound|Recipient not found by SMTP address lookup|couldn't be found at|wasn't found at/i,
  },
  {
    id: 'exchange-online.access-denied',
    name: 'unknown_user',
    words: /recipient address(?:es)? rejected ?: ?access denied/i,
    code: /^4\.1$/,
    advice: 'Microsoft 365 does not know the recipient, or its domain is not set up there. Remove the address.',
  },
  {
    id: 'exchange-online.restricted',
    name: 'policy',
    words:
      /RESOLVER\.RST|not authenticated senders?|AuthRequired|NotAuthorized|TRANSPORT\.RULES|Unable to relay recipient in non-accepted domain/i,
    advice: 'The organisation accepts mail for this recipient from allowed senders only. Ask it to allow your address.',
  },
  {
    id: 'exchange-online.tenant-quota',
    name: 'rate_limited',
    words: /tenant .{0,60}exceeded .{0,40}(?:limit|threshold)|AS\(?4231[67]\)?|Too many recipients/i,
  },
  {
    id: 'yahoo.no-account',
    name: 'unknown_user',
    words:
      /this user doesn't have an? \S+ account|\bdd This user|delivery error: dd .{0,60}(?:not|doesn't) (?:have|exist)/i,
  },
  {
    id: 'yahoo.deferred',
    name: 'reputation',
    words:
      /\[(?:TSS?|TS|GL|SS|BL|CON)\d{2}\]|temporarily deferred due to (?:unexpected volume|user complaints)|postmaster\.yahooinc?\.com|help\.yahoo\.com\/kb\/postmaster/i,
    advice:
      'Yahoo limits or blocks your mail because of complaints or volume. See https://senders.yahooinc.com/smtp-error-codes.',
  },
  {
    id: 'icloud.blocked',
    name: 'reputation',
    words:
      /\[(?:CS|HM|PC|HL)\d{2}\]|support\.apple\.com\/en-us\/HT204137|your email was rejected due to having a domain present in the Spamhaus DBL/i,
    advice: 'iCloud blocks your mail by policy or reputation. Write to icloudadmin@apple.com with the reply.',
  },
  {
    id: 'gmx.blocked',
    name: 'reputation',
    words:
      /(?:postmaster\.(?:gmx\.(?:net|com)|web\.de|mail\.com|1and1)|kundenserver).{0,200}\bc=(?:bl|bip|rb|rep|hi|sbl)\b|reject due to policy restrictions|IP address is black listed|bad dns ptr resource record|invalid DNS MX or A\/AAAA resource record/i,
    advice:
      'GMX, WEB.DE or mail.com block your server. Check its reverse DNS, and use the form at https://postmaster.gmx.net.',
  },
  {
    id: 'mimecast.rejected',
    name: 'policy',
    words:
      /mimecast\.(?:com|org)|administrative prohibition - envelope blocked|Email rejected due to security policies|rejected by header based|csi\.mimecast/i,
    advice:
      'Mimecast refused the message by a policy of the recipient’s organisation. Ask it to permit your address or domain.',
  },
  {
    id: 'proofpoint.blocked',
    name: 'reputation',
    words: /ipcheck\.proofpoint\.com|support\.proofpoint\.com\/(?:dnsbl|rbl)|blocked - see https:\/\/ipcheck|\bPDR\b/i,
    advice: 'Proofpoint blocks your IP address: request delisting at https://ipcheck.proofpoint.com.',
  },
  {
    id: 'barracuda.blocked',
    name: 'reputation',
    words: /barracuda(?:central|networks)\.(?:org|com)|blocked using barracuda/i,
    advice: 'Barracuda lists your IP address: request removal at https://www.barracudacentral.org/rbl/removal-request.',
  },
  {
    id: 'ironport.reputation',
    name: 'reputation',
    words: /senderbase|talosintelligence|poor reputation on Cisco|too many bad reputation/i,
    advice: 'Your IP address has a poor reputation at Cisco: see https://talosintelligence.com/reputation_center.',
  },
  // 542 is not a standard SMTP code: the customer of the provider has not registered the recipient.
  { id: 'symantec-cloud.unregistered', name: 'unknown_user', words: /^542 \S+ rejected/i },
  { id: 'ironport.unknown-recipient', name: 'unknown_user', words: /#?5\.1\.0 address rejected/i },
];
