import type { HandOver } from './hand-over.js';
import type { RelayOffers } from './relay-config.js';
import type { HandOverResult } from './smtp-answer.js';

/** The extensions of a relay that an envelope depends on. */
export interface EnvelopeOffers extends RelayOffers {
  readonly eightBitMimeOffered: boolean;
  readonly sizeOffered: boolean;
  /** The declared maximum message size (RFC 1870), in bytes; 0 if it is not declared. */
  readonly maxSize: number;
}

const NON_ASCII = /[^\x00-\x7f]/;
const NOT_XTEXT = /[^\x21-\x2a\x2c-\x3c\x3e-\x7e]/;
const NO_SMTPUTF8 = 'the relay does not offer SMTPUTF8';
/** Characters that could end a path or start another command. */
const NOT_IN_A_PATH = /[\r\n<>\0]/;

/** The rejection of a message that must not, or cannot, be sent to the relay; undefined for all other messages. */
export function refusedUnsent(mail: HandOver, offers: EnvelopeOffers): HandOverResult | undefined {
  const { from, recipients } = mail;
  if (recipients.length === 0) return refused(553, '5.1.3', 'no recipients');
  if (NOT_IN_A_PATH.test(from)) return refused(553, '5.1.3', `invalid sender ${JSON.stringify(from)}`);
  for (const { address } of recipients) {
    if (address === '' || NOT_IN_A_PATH.test(address)) {
      return refused(553, '5.1.3', `invalid recipient ${JSON.stringify(address)}`);
    }
  }
  if (offers.maxSize > 0 && sizeOf(mail) > offers.maxSize) {
    return refused(552, '5.3.4', `the message is larger than the ${offers.maxSize} bytes that the relay takes`);
  }
  if (offers.smtpUtf8Offered || !needsSmtpUtf8(mail)) return undefined;
  // Addresses that SMTP without SMTPUTF8 would corrupt (RFC 6531 §3.5).
  const foreign = recipients.filter(({ address }) => NON_ASCII.test(address)).map(({ address }) => address);
  return refused(553, '5.6.7', NO_SMTPUTF8, foreign);
}

/** Whether the message was rejected because the relay lacks SMTPUTF8. */
export function lacksSmtpUtf8(result: HandOverResult): boolean {
  return result.kind === 'refused' && result.reply.response.endsWith(NO_SMTPUTF8);
}

/** The MAIL command, with the extensions of RFC 6531, 6152, 1870 and 3461 that the relay offers. */
export function mailCommand(mail: HandOver, offers: EnvelopeOffers): string {
  const { from, dsn } = mail;
  const size = offers.sizeOffered ? sizeOf(mail) : 0;
  let command = `MAIL FROM:<${from}>`;
  if (offers.smtpUtf8Offered && needsSmtpUtf8(mail)) command += ' SMTPUTF8';
  if (mail.smtpUtf8 === true && offers.eightBitMimeOffered) command += ' BODY=8BITMIME';
  if (size > 0) command += ` SIZE=${size}`;
  if (dsn && offers.dsnOffered) command += ` RET=${dsn.ret} ENVID=${xtext(dsn.envid)}`;
  return `${command}\r\n`;
}

/** The RCPT command for one recipient. */
export function rcptCommand(
  recipient: HandOver['recipients'][number],
  dsn: HandOver['dsn'],
  dsnOffered: boolean,
): string {
  const { address, orcpt } = recipient;
  let command = `RCPT TO:<${address}>`;
  if (dsn && dsnOffered) {
    if (dsn.notify.length > 0) command += ` NOTIFY=${dsn.notify.join(',')}`;
    if (orcpt !== undefined) command += ` ORCPT=${originalRecipient(orcpt)}`;
  }
  return `${command}\r\n`;
}

function sizeOf({ bytes }: HandOver): number {
  return Buffer.isBuffer(bytes) ? bytes.length : bytes.reduce((sum, part) => sum + part.length, 0);
}

function needsSmtpUtf8({ from, recipients, smtpUtf8 }: HandOver): boolean {
  return smtpUtf8 === true || NON_ASCII.test(from) || recipients.some(({ address }) => NON_ASCII.test(address));
}

function refused(code: number, enhanced: string, why: string, addresses: readonly string[] = []): HandOverResult {
  const reply = { code, enhanced, response: `${code} ${enhanced} ${why}` };
  return { kind: 'refused', reply, refused: addresses.map(address => ({ address, ...reply })) };
}

/** The type is rfc822 (RFC 3461 §4.2), or utf-8 if the address needs it (RFC 6533 §3). */
function originalRecipient(address: string): string {
  return NON_ASCII.test(address) ? `utf-8;${utf8Xtext(address)}` : `rfc822;${xtext(address)}`;
}

/** The form for any relay, even if the command is not in UTF-8 (RFC 6533 §3, utf-8-addr-xtext). */
function utf8Xtext(address: string): string {
  return [...address]
    .map(character =>
      NOT_XTEXT.test(character) || character === '\\'
        ? `\\x{${character.codePointAt(0)!.toString(16).toUpperCase()}}`
        : character,
    )
    .join('');
}

/** RFC 3461 §4. */
function xtext(value: string): string {
  if (!NOT_XTEXT.test(value)) return value;
  let encoded = '';
  for (const byte of Buffer.from(value, 'utf8')) {
    const isPlain = byte >= 0x21 && byte <= 0x7e && byte !== 0x2b && byte !== 0x3d;
    encoded += isPlain ? String.fromCharCode(byte) : `+${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
