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
    private readonly silenceTimeoutMs: number,
  ) {}

  /** Connects, starts TLS and authenticates. Rejects with the reason if any step fails. */
  static async open(config: RelayConfig): Promise<SmtpSession> {
    const { wire, offers } = await openWire(config);
    return new SmtpSession(wire, offers, config.silenceTimeoutMs);
  }

  get isClosed(): boolean {
    return this.wire.isClosed;
  }

  get offers(): RelayOffers {
    const { dsnOffered, smtpUtf8Offered } = this.ehlo;
    return { dsnOffered, smtpUtf8Offered };
  }

  /** Calls back when the connection is closed, at most once; immediately if it is already closed. */
  onClose(listener: () => void): void {
    this.wire.onClose(listener);
  }

  /** Hands one message over. `onSlow` is called once if the relay takes its time for the whole message. */
  async handOver(mail: HandOver, onSlow: () => void = () => {}): Promise<SessionOutcome> {
    const result = refusedUnsent(mail, this.ehlo);
    if (result) return { result, connection: 'reusable', closedBeforeData: false };
    const parts = { wire: this.wire, mail, offers: this.ehlo, onSlow };
    return SmtpTransaction.run(parts, this.silenceTimeoutMs);
  }

  /** Resets an incomplete transaction (RSET); false if the connection is no longer usable. */
  async reset(): Promise<boolean> {
    const reply = await this.wire.command('RSET').catch(() => undefined);
    if (reply && reply.code < 300 && !this.isClosed) {
      this.wire.listenWith(undefined);
      return true;
    }
    this.close();
    return false;
  }

  /** Sends QUIT; the connection is closed by the relay or by the silence timeout. */
  quit(): void {
    this.wire.command('QUIT').then(
      () => this.close(),
      () => {},
    );
  }

  /** Closes at once. */
  close(): void {
    this.wire.close();
  }
}
