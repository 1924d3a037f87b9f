import { createHmac } from 'node:crypto';
import type { RelayConfig } from './relay-config.js';
import { parseReply } from './smtp-answer.js';
import type { EnvelopeOffers } from './smtp-envelope.js';
import { type RawReply, SmtpWire } from './smtp-wire.js';

/** The relevant part of a relay's reply to EHLO. */
export interface EhloOffers extends EnvelopeOffers {
  readonly pipeliningOffered: boolean;
  /** SASL mechanisms, upper case. */
  readonly mechanisms: readonly string[];
}

/** A connection that is secured and authenticated as configured, and ready for a message. */
export interface OpenWire {
  readonly wire: SmtpWire;
  readonly offers: EhloOffers;
}

/** Connects, sends EHLO, starts TLS and authenticates. Rejects with the reason if any step fails. */
export async function openWire(config: RelayConfig): Promise<OpenWire> {
  const wire = new SmtpWire(config);
  try {
    expectCode(await wire.next(), 2, 'the relay greeted with');
    if (config.security === 'starttls') {
      // The extensions offered in plain text are discarded; STARTTLS is requested even if it was not offered.
      expectCode(await wire.command(`EHLO ${config.name}`), 2, 'the relay answered EHLO with');
      expectCode(await wire.command('STARTTLS'), 2, 'the relay answered STARTTLS with');
      await wire.secure();
    }
    wire.setUp();
    const offers = await greet(wire, config);
    if (config.auth) await authenticate(wire, config.auth, offers.mechanisms);
    wire.listenWith(undefined);
    return { wire, offers };
  } catch (error) {
    wire.close();
    throw error;
  }
}

async function greet(wire: SmtpWire, { name, security }: RelayConfig): Promise<EhloOffers> {
  const reply = await wire.command(`EHLO ${name}`);
  // A server older than RFC 1869 supports only HELO and no extensions.
  if (reply.code >= 500 && security === 'none') {
    expectCode(await wire.command(`HELO ${name}`), 2, 'the relay answered HELO with');
    return offersOf('');
  }
  expectCode(reply, 2, 'the relay answered EHLO with');
  return offersOf(reply.text);
}

/** Reads the answer to EHLO (RFC 5321 §4.1.1.1). */
export function offersOf(ehlo: string): EhloOffers {
  const offers = new Map<string, string>();
  for (const line of ehlo.split('\n').slice(1)) {
    // Old servers send AUTH=LOGIN.
    const [, keyword, value = ''] = /^\d{3}[ -]([A-Za-z0-9][A-Za-z0-9-]*)(?:[ \t=](.*))?$/.exec(line) ?? [];
    if (keyword === undefined) continue;
    const known = offers.get(keyword.toUpperCase());
    offers.set(keyword.toUpperCase(), known === undefined ? value.trim() : `${known} ${value.trim()}`);
  }
  return {
    pipeliningOffered: offers.has('PIPELINING'),
    dsnOffered: offers.has('DSN'),
    smtpUtf8Offered: offers.has('SMTPUTF8'),
    eightBitMimeOffered: offers.has('8BITMIME'),
    sizeOffered: offers.has('SIZE'),
    maxSize: Number(/^\d{1,15}$/.exec(offers.get('SIZE') ?? '')?.[0] ?? 0),
    mechanisms: (offers.get('AUTH') ?? '')
      .toUpperCase()
      .split(' ')
      .filter(mechanism => mechanism !== ''),
  };
}

/** Uses the first supported mechanism, or PLAIN if none is offered. */
async function authenticate(
  wire: SmtpWire,
  { user, pass }: { readonly user: string; readonly pass: string },
  mechanisms: readonly string[],
): Promise<void> {
  const denied = 'the relay denied our credentials:';
  const mechanism = ['PLAIN', 'LOGIN', 'CRAM-MD5'].find(known => mechanisms.includes(known)) ?? 'PLAIN';
  if (mechanism === 'PLAIN') {
    expectCode(await wire.command(`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}`), 2, denied);
    return;
  }
  const challenge = expectCode(await wire.command(`AUTH ${mechanism}`), 3, denied);
  if (mechanism === 'LOGIN') {
    expectCode(await wire.command(base64(user)), 3, denied);
    expectCode(await wire.command(base64(pass)), 2, denied);
    return;
  }
  // RFC 2195.
  const nonce = Buffer.from(challenge.text.slice(4), 'base64');
  const digest = createHmac('md5', pass).update(nonce).digest('hex');
  expectCode(await wire.command(base64(`${user} ${digest}`)), 2, denied);
}

function expectCode(reply: RawReply, firstDigit: number, otherwise: string): RawReply {
  if (Math.floor(reply.code / 100) === firstDigit) return reply;
  throw new Error(`${otherwise} ${parseReply(reply.text).response}`);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
