import { dataOf, dataOfParts } from './dot-stuffing.js';
import { type HandOver, type SessionOutcome, TOO_LATE } from './hand-over.js';
import { parseReply, type RefusedRecipient, type SmtpReply } from './smtp-answer.js';
import { mailCommand, rcptCommand } from './smtp-envelope.js';
import type { EhloOffers } from './smtp-opening.js';
import { type RawReply, SilenceError, type SmtpWire, type WireListener } from './smtp-wire.js';

/** Bytes per write; a larger message is sent in pieces, and its end only after all previous pieces are sent. */
const PIECE = 64 * 1024;

export interface TransactionParts {
  readonly wire: SmtpWire;
  readonly mail: HandOver;
  readonly offers: EhloOffers;
  readonly onSlow: () => void;
}

/**
 * One message over one connection: MAIL, RCPT and DATA, in one write if the relay offers PIPELINING (RFC 2920), and
 * after its 354, the data. Ends exactly once, with the result of the message.
 *
 * ```
 * mail ─► rcpt … ─► data ─┬─ 354, a recipient accepted ─► text ─► answer
 *                         └─ 354, none accepted: a lone dot ─► nothing ─► answer
 * ```
 */
export class SmtpTransaction implements WireListener {
  readonly #wire: SmtpWire;
  readonly #mail: HandOver;
  readonly #offers: EhloOffers;
  readonly #settle: (outcome: SessionOutcome) => void;
  readonly #onSlow: () => void;
  readonly #accepted: string[] = [];
  readonly #refused: RefusedRecipient[] = [];
  #awaits: 'mail' | 'rcpt' | 'data' | 'text' | 'nothing' = 'mail';
  #answered = 0;
  /** The rejection of MAIL; later replies are ignored. */
  #mailRefused: SmtpReply | undefined;
  #textStarted = false;
  #endWasSent = false;
  #isOver = false;

  #slowTimer: NodeJS.Timeout | undefined;

  private constructor(
    parts: TransactionParts,
    settle: (outcome: SessionOutcome) => void,
    private readonly slowAfterMs: number,
  ) {
    this.#wire = parts.wire;
    this.#mail = parts.mail;
    this.#offers = parts.offers;
    this.#onSlow = parts.onSlow;
    this.#settle = settle;
  }

  /** Hands one message over. Never rejects. `onSlow` is called once if the answer takes longer than usual. */
  static run(parts: TransactionParts, slowAfterMs: number): Promise<SessionOutcome> {
    return new Promise(resolve => new SmtpTransaction(parts, resolve, slowAfterMs).#begin());
  }

  onReply(reply: RawReply, moreCame: boolean): void {
    if (this.#awaits === 'mail') this.#onMail(reply);
    else if (this.#awaits === 'rcpt') this.#onRcpt(reply);
    else if (this.#awaits === 'data') this.#onData(reply, moreCame);
    else if (this.#awaits === 'text') this.#onText(reply);
    else this.#end(this.#rejection()!, isLast(reply) ? 'broken' : 'reusable');
  }

  onLost(error: Error): void {
    const refused = this.#refused;
    const rejection = this.#rejection();
    if (this.#endWasSent) this.#over({ kind: 'unknown', reason: error.message, refused }, 'broken', false);
    // The result was determined by an earlier reply.
    else if (rejection) this.#end(rejection, 'broken');
    else {
      const isBeforeData = !this.#textStarted && !(error instanceof SilenceError);
      this.#over({ kind: 'unreachable', reason: reasonOf(error) }, 'broken', isBeforeData);
    }
  }

  #begin(): void {
    const mail = this.#mail;
    if (this.#wire.isClosed) {
      this.onLost(new Error('the connection was closed'));
      return;
    }
    this.#wire.listenWith(this);
    let commands = mailCommand(mail, this.#offers);
    if (this.#offers.pipeliningOffered) {
      for (let at = 0; at < mail.recipients.length; at++) commands += this.#rcpt(at);
      commands += 'DATA\r\n';
    }
    this.#wire.send(commands);
  }

  #onMail(reply: RawReply): void {
    if (!this.#isAnswer(reply)) return;
    this.#awaits = 'rcpt';
    if (reply.code >= 400) this.#mailRefused = parseReply(reply.text);
    if (isLast(reply) || (this.#mailRefused && !this.#offers.pipeliningOffered)) this.#reject(reply);
    else if (!this.#offers.pipeliningOffered) this.#wire.send(this.#rcpt(0));
  }

  #onRcpt(reply: RawReply): void {
    if (!this.#isAnswer(reply)) return;
    if (isLast(reply)) {
      this.#reject(reply);
      return;
    }
    const { address } = this.#mail.recipients[this.#answered++]!;
    if (reply.code < 300) this.#accepted.push(address);
    // A rejection of the sender applies to every recipient.
    else if (!this.#mailRefused) this.#refused.push({ address, ...parseReply(reply.text) });
    const isComplete = this.#answered === this.#mail.recipients.length;
    if (isComplete) this.#awaits = 'data';
    if (this.#offers.pipeliningOffered) return;
    if (!isComplete) this.#wire.send(this.#rcpt(this.#answered));
    else if (this.#rejection()) this.#reject(reply);
    else this.#wire.send('DATA\r\n');
  }

  #onData(reply: RawReply, moreCame: boolean): void {
    const goesOn = reply.code === 354;
    if (reply.code < 400 && (!goesOn || moreCame)) {
      this.#breach(reply, moreCame);
      return;
    }
    if (!goesOn) {
      this.#reject(reply);
    } else if (this.#mailRefused) {
      // Without a sender there is no transaction to end; a relay that requests data anyway is not trusted.
      this.#end(this.#mailRefused, 'broken');
    } else if (this.#accepted.length === 0) {
      this.#awaits = 'nothing';
      this.#wire.send('.\r\n');
    } else if (this.#mail.window?.begin() === false) {
      // The relay waits for data that must not be sent: only closing the connection ends the transaction.
      this.#over({ kind: 'unreachable', reason: TOO_LATE }, 'broken', false);
    } else {
      this.#awaits = 'text';
      this.#textStarted = true;
      this.#send(dataPieces(this.#mail.bytes), 0);
    }
  }

  #onText(reply: RawReply): void {
    const { code } = reply;
    if (code >= 400) {
      // A relay that answers before the end of the data interprets the rest of the data as commands.
      this.#end(parseReply(reply.text), this.#endWasSent && !isLast(reply) ? 'reusable' : 'broken');
    } else if (code >= 200 && code < 300 && this.#endWasSent) {
      const accepted = { kind: 'accepted', accepted: this.#accepted, refused: this.#refused } as const;
      this.#over({ ...accepted, reply: parseReply(reply.text) }, 'reusable', false);
    } else {
      this.#breach(reply, false);
    }
  }

  /** The last piece, with the dot, is sent only after the previous pieces are sent. */
  #send(pieces: readonly Buffer[], at: number): void {
    if (this.#isOver) return;
    if (at === pieces.length - 1) {
      this.#endWasSent = true;
      this.#wire.send(pieces[at]!);
      this.#wire.awaitAnswer();
      this.#slowTimer = setTimeout(this.#onSlow, this.slowAfterMs).unref();
    } else {
      this.#wire.send(pieces[at]!, () => this.#send(pieces, at + 1));
    }
  }

  #rcpt(at: number): string {
    return rcptCommand(this.#mail.recipients[at]!, this.#mail.dsn, this.#offers.dsnOffered);
  }

  /** True for a valid reply to MAIL or RCPT; any other reply ends the dialogue. */
  #isAnswer(reply: RawReply): boolean {
    if (reply.code >= 200 && (reply.code < 300 || reply.code >= 400)) return true;
    this.#breach(reply, false);
    return false;
  }

  /** The reason why no recipient gets the message, once known: temporary if it is temporary for any recipient. */
  #rejection(): SmtpReply | undefined {
    if (this.#mailRefused) return this.#mailRefused;
    if (this.#answered < this.#mail.recipients.length || this.#accepted.length > 0) return undefined;
    return this.#refused.find(({ code }) => code < 500) ?? this.#refused.at(-1);
  }

  #reject(reply: RawReply): void {
    this.#end(this.#rejection() ?? parseReply(reply.text), isLast(reply) ? 'broken' : 'reset');
  }

  #breach({ text }: RawReply, moreCame: boolean): void {
    this.#wire.close(new Error(moreCame ? 'the relay answered what it had not seen' : `out of step, it said ${text}`));
  }

  /** Ends with a rejection. 503 is about the state of the dialogue: the message may be accepted over another connection. */
  #end({ code, enhanced, response }: SmtpReply, connection: SessionOutcome['connection']): void {
    const kind = code >= 500 && code !== 503 ? 'refused' : 'deferred';
    const isClosing = code === 421 || code === 503;
    const reply = enhanced === undefined ? { code, response } : { code, enhanced, response };
    const isBeforeData = isClosing && !this.#textStarted && this.#refused.length === 0;
    this.#over({ kind, reply, refused: this.#refused }, isClosing ? 'broken' : connection, isBeforeData);
  }

  #over(result: SessionOutcome['result'], connection: SessionOutcome['connection'], closedBeforeData: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#slowTimer);
    this.#wire.listenWith(undefined);
    this.#settle({ result, connection, closedBeforeData });
  }
}

/** The pieces to write in order; views of the data without a copy. */
function dataPieces(bytes: Buffer | readonly Buffer[]): Buffer[] {
  const parts = Buffer.isBuffer(bytes) ? [dataOf(bytes)] : dataOfParts(bytes);
  return parts.flatMap(part =>
    Array.from({ length: Math.ceil(part.length / PIECE) }, (_, at) => part.subarray(at * PIECE, (at + 1) * PIECE)),
  );
}

/** After 421 the relay closes the connection (RFC 5321 §3.8). */
function isLast({ code }: RawReply): boolean {
  return code === 421;
}

function reasonOf(error: Error): string {
  return error.message === '' ? error.name : error.message;
}
