import type { HandOver, SessionOutcome } from './hand-over.js';
import type { RelayConfig, RelayOffers } from './relay-config.js';
import { refusedUnsent } from './smtp-envelope.js';
import { type EhloOffers, openWire } from './smtp-opening.js';
import { SmtpTransaction } from './smtp-transaction.js';
import type { SmtpWire } from './smtp-wire.js';

/** One connection to a relay, open and authenticated, one message at a time. Never throws once it is open. */
export class SmtpSession {
  private constructor(
    private readonly wire: SmtpWire,
    private readonly ehlo: EhloOffers,
  ) {}

  /** Connects, secures and authenticates. Rejects with the reason when any of it fails. */
  static async open(config: RelayConfig): Promise<SmtpSession> {
    const { wire, offers } = await openWire(config);
    return new SmtpSession(wire, offers);
  }

  get isGone(): boolean {
    return this.wire.isGone;
  }

  get offers(): RelayOffers {
    const { dsnOffered, smtpUtf8Offered } = this.ehlo;
    return { dsnOffered, smtpUtf8Offered };
  }

  /** Calls back when the connection is gone, at most once; at once where it already is. */
  onGone(listener: () => void): void {
    this.wire.onGone(listener);
  }

  /** Hands one message over. */
  async handOver(mail: HandOver): Promise<SessionOutcome> {
    const result = refusedUnsent(mail, this.ehlo);
    if (result) return { result, connection: 'reusable', closedUnheard: false };
    return SmtpTransaction.run(this.wire, mail, this.ehlo);
  }

  /** Clears a half-done transaction (RSET); false when the connection is of no more use. */
  async reset(): Promise<boolean> {
    const reply = await this.wire.ask('RSET').catch(() => undefined);
    if (reply && reply.code < 300 && !this.isGone) {
      this.wire.listenWith(undefined);
      return true;
    }
    this.close();
    return false;
  }

  /** Takes leave politely (QUIT); the relay closes, or the silence timeout does. */
  quit(): void {
    this.wire.ask('QUIT').then(
      () => this.close(),
      () => {},
    );
  }

  /** Closes at once. */
  close(): void {
    this.wire.close();
  }
}
