import { parseReply, type SmtpReply } from './smtp-answer.js';

/** Why a message did not arrive, in one word. */
export type BounceName =
  | 'unknown_user'
  | 'no_such_domain'
  | 'bad_address'
  | 'moved'
  | 'null_mx'
  | 'mailbox_disabled'
  | 'mailbox_full'
  | 'message_too_big'
  | 'sender_rejected'
  | 'authentication'
  | 'reputation'
  | 'policy'
  | 'content'
  | 'loop'
  | 'expired'
  | 'unreachable'
  | 'system'
  | 'protocol'
  | 'other';

/** `hard`: this address will not take mail; `soft`: anything else, our own reputation included. */
export interface BounceClass {
  readonly type: 'hard' | 'soft';
  readonly name: BounceName;
}

/** The evidence: a notification's status, a server's words, or both. */
export interface BounceEvidence {
  /** RFC 3463, as given. */
  readonly status?: string;
  /** Diagnostic-Code or the reply, with its SMTP code where it has one. */
  readonly text?: string;
}

const HARD: ReadonlySet<BounceName> = new Set([
  'unknown_user',
  'no_such_domain',
  'bad_address',
  'moved',
  'null_mx',
  'mailbox_disabled',
]);

/** By the last two digits of the status (RFC 3463, RFC 7505, RFC 7372); `n.*` where the detail is not listed. */
const BY_STATUS: Readonly<Record<string, BounceName>> = {
  '1.0': 'bad_address',
  '1.1': 'unknown_user',
  '1.2': 'no_such_domain',
  '1.3': 'bad_address',
  '1.4': 'bad_address',
  '1.6': 'moved',
  '1.7': 'sender_rejected',
  '1.8': 'sender_rejected',
  '1.10': 'null_mx',
  '1.*': 'other',
  '2.1': 'mailbox_disabled',
  '2.2': 'mailbox_full',
  '2.3': 'message_too_big',
  '2.*': 'other',
  '3.4': 'message_too_big',
  '3.*': 'system',
  '4.1': 'unreachable',
  '4.2': 'unreachable',
  '4.4': 'no_such_domain',
  '4.6': 'loop',
  '4.7': 'expired',
  '4.*': 'unreachable',
  '5.*': 'protocol',
  '6.*': 'content',
  '7.8': 'authentication',
  '7.9': 'authentication',
  '7.20': 'authentication',
  '7.21': 'authentication',
  '7.22': 'authentication',
  '7.23': 'authentication',
  '7.24': 'authentication',
  '7.25': 'authentication',
  '7.26': 'authentication',
  '7.*': 'policy',
};

/** Statuses too vague, or too often misused, to be believed before the server's words. */
const VAGUE: ReadonlySet<string> = new Set(['0.0', '1.0', '2.0', '3.0', '4.0', '4.1', '5.0', '6.0']);

/** The server's words, first match first: what is about us before what is about the recipient. */
const BY_TEXT: readonly (readonly [RegExp, BounceName])[] = [
  [/spamhaus|block ?list|black ?list|\brbl\b|reputation|blocked using|listed (?:at|in|by)/i, 'reputation'],
  [/\b(?:spf|dkim|dmarc)\b|unauthenticated/i, 'authentication'],
  [/sender (?:address )?(?:rejected|denied|verify)|bad sender/i, 'sender_rejected'],
  [/\bspam\b|virus|content (?:rejected|denied)|message rejected/i, 'content'],
  [/quota|mailbox (?:is )?full|over ?quota|insufficient (?:system )?storage|out of space/i, 'mailbox_full'],
  [/message (?:size|too (?:big|large))|too large|exceeds? (?:the )?(?:maximum|size)/i, 'message_too_big'],
  [/too many hops|mail loop|loop detected/i, 'loop'],
  [/(?:delivery|retry) (?:time|time ?out|period).{0,20}(?:expired|exceeded)|expired|timed? out/i, 'expired'],
  [/null ?mx|does not accept mail/i, 'null_mx'],
  [/(?:account|mailbox|user|address|recipient).{0,30}(?:disabled|inactive|suspended|deactivated)/i, 'mailbox_disabled'],
  [/(?:host|domain).{0,40}not (?:found|exist)|no such domain|unrouteable|nxdomain/i, 'no_such_domain'],
  [
    /(?:user|recipient|mailbox|address|account|alias).{0,60}(?:unknown|not (?:found|exist|known|listed)|(?:doesn't|does not|no longer) exist|invalid)/i,
    'unknown_user',
  ],
  [/(?:no such|unknown|invalid|nonexistent|no) (?:user|recipient|mailbox|address|account|local)/i, 'unknown_user'],
  [/recipient address rejected: access denied/i, 'unknown_user'],
  [/policy|not allowed|access denied|prohibited|relay(?:ing)? denied/i, 'policy'],
];

const BY_CODE: Readonly<Record<number, BounceName>> = {
  521: 'null_mx',
  551: 'moved',
  552: 'mailbox_full',
  556: 'null_mx',
};

/** Classes a bounce. Hard only on a lasting (5xx) answer about the recipient; in doubt soft. */
export function classifyBounce({ status, text = '' }: BounceEvidence): BounceClass {
  const reply = parseReply(text.slice(0, 2_000));
  const detail = detailOf(status);
  // A vague status in the notification is often a precise one in the words it quotes.
  const precise = detail === undefined || VAGUE.has(detail) ? (detailOf(reply.enhanced) ?? detail) : detail;
  const name = nameFor(precise, reply);
  return { type: isLasting(status, reply) && HARD.has(name) ? 'hard' : 'soft', name };
}

/** Classes a plain SMTP reply, as a hand-over gives it. */
export function classifyReply(reply: SmtpReply): BounceClass {
  return classifyBounce({ ...(reply.enhanced === undefined ? {} : { status: reply.enhanced }), text: reply.response });
}

function nameFor(detail: string | undefined, reply: SmtpReply): BounceName {
  const coded = detail === undefined ? undefined : (BY_STATUS[detail] ?? BY_STATUS[`${detail.split('.')[0]}.*`]);
  if (detail !== undefined && !VAGUE.has(detail)) {
    // 5.7.x is about the sender; the text only tells reputation from policy.
    const named = coded === 'policy' ? nameFromText(reply) : undefined;
    return named === 'reputation' || named === 'authentication' ? named : (coded ?? 'other');
  }
  return nameFromText(reply) ?? BY_CODE[reply.code] ?? coded ?? 'other';
}

function nameFromText({ response }: SmtpReply): BounceName | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(response))?.[1];
}

/** Where status and reply disagree on how lasting it is, the milder one counts. */
function isLasting(status: string | undefined, reply: SmtpReply): boolean {
  const digits = [status?.[0], reply.code === 0 ? undefined : String(reply.code)[0], reply.enhanced?.[0]];
  const given = digits.filter(digit => digit !== undefined);
  return given.length > 0 && given.every(digit => digit === '5');
}

function detailOf(status: string | undefined): string | undefined {
  return /^[245]\.(\d{1,3}\.\d{1,3})$/.exec(status ?? '')?.[1];
}
