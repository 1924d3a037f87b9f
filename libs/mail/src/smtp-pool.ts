import { FairSlots } from './fair-slots.js';
import { type HandOver, type SessionOutcome, TOO_LATE } from './hand-over.js';
import type { RelayConfig, RelayOffers } from './relay-config.js';
import type { HandOverResult } from './smtp-answer.js';
import { SmtpSession } from './smtp-session.js';

/** Whether a relay responds, and its extensions. */
export type ProbeResult = ({ readonly ok: true } & RelayOffers) | { readonly ok: false; readonly reason: string };

/** The slot of one piece of work. */
interface Slot {
  /** Keeps the slot occupied after the work has returned, while its connection is reset. */
  hold(until: Promise<void>): void;
  /** Lets others have the slot before the work has returned. */
  giveUp(): void;
}

type Unreachable = Extract<HandOverResult, { kind: 'unreachable' }>;

/** Of probes, and of messages that have no owner. */
const NOBODY = '';

const QUIT_GRACE_MS = 1_000;
/** How long a shutdown waits for answers. */
const LAST_ANSWERS_MS = 8_000;
/** Messages that a relay may think about at once, as a multiple of the connections; they occupy no slot. */
const SLOW_PER_CONNECTION = 10;

/**
 * Connections to one relay, opened up to a limit and reused. Results and faults are return values; nothing rejects. Why not
 * nodemailer: docs/decisions/0059-own-code-and-libraries.md.
 */
export class SmtpPool {
  readonly #idle: SmtpSession[] = [];
  readonly #sessions = new Set<SmtpSession>();
  readonly #underWay = new Set<Promise<unknown>>();
  #slow = 0;
  #isClosed = false;
  #offers: RelayOffers | undefined;

  readonly #slots: FairSlots;

  constructor(readonly config: RelayConfig) {
    this.#slots = new FairSlots(config.maxConnections);
  }

  /** The last offered extensions; undefined before the first connection. */
  get offers(): RelayOffers | undefined {
    return this.#offers;
  }

  /** Connections in use, idle, and hand-overs waiting for one; for metrics. */
  get load(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    return { busy: this.#slots.taken, idle: this.#idle.length, waiting: this.#slots.waiting };
  }

  /** Hands a message over, waiting for a free connection up to the configured time. */
  handOver(mail: HandOver): Promise<HandOverResult> {
    const { owner = NOBODY, window } = mail;
    return this.#track(this.#withSlot(owner, slot => this.#attempt(mail, slot), window?.remainingMs));
  }

  /** Opens or reuses a connection and reports the extensions of the relay. Sends no message. */
  probe(): Promise<ProbeResult> {
    return this.#track(
      this.#withSlot<ProbeResult>(NOBODY, async () => {
        // An idle connection may be dead without notice, so it is tested.
        const rested = this.#takeIdle();
        if (rested && (await rested.reset())) {
          this.#idle.push(rested);
          return { ok: true, ...rested.offers };
        }
        const opened = await this.#open();
        if (typeof opened === 'string') return { ok: false, reason: opened };
        this.#idle.push(opened);
        return { ok: true, ...opened.offers };
      }).then(result => ('kind' in result ? { ok: false as const, reason: result.reason } : result)),
    );
  }

  /** Accepts no more messages, waits for those in progress, and sends QUIT on every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#slots.refuseAll();
    const late = setTimeout(() => {
      for (const session of this.#sessions) session.close();
    }, LAST_ANSWERS_MS);
    await Promise.allSettled(this.#underWay);
    clearTimeout(late);
    await Promise.all(
      [...this.#sessions].map(
        session =>
          new Promise<void>(resolve => {
            const timer = setTimeout(() => session.close(), QUIT_GRACE_MS);
            session.onClose(() => {
              clearTimeout(timer);
              this.#sessions.delete(session);
              resolve();
            });
            session.quit();
            if (session.isClosed) {
              clearTimeout(timer);
              resolve();
            }
          }),
      ),
    );
  }

  async #attempt(mail: HandOver, slot: Slot): Promise<HandOverResult> {
    if (isTooLate(mail)) return { kind: 'unreachable', reason: TOO_LATE };
    const rested = this.#takeIdle();
    if (rested) {
      const outcome = await this.#handOver(rested, mail, slot);
      this.#giveBack(rested, outcome, slot);
      // The relay had closed the idle connection and has not received this message.
      if (!outcome.closedBeforeData) return outcome.result;
    }
    const opened = await this.#open();
    if (typeof opened === 'string') return { kind: 'unreachable', reason: opened };
    if (isTooLate(mail)) {
      this.#idle.push(opened);
      return { kind: 'unreachable', reason: TOO_LATE };
    }
    const outcome = await this.#handOver(opened, mail, slot);
    this.#giveBack(opened, outcome, slot);
    return outcome.result;
  }

  /** A relay that filters a message for minutes keeps a connection, but does not keep others from sending. */
  async #handOver(session: SmtpSession, mail: HandOver, slot: Slot): Promise<SessionOutcome> {
    let isSlow = false;
    try {
      return await session.handOver(mail, () => {
        if (this.#slow >= this.config.maxConnections * SLOW_PER_CONNECTION) return;
        isSlow = true;
        this.#slow += 1;
        slot.giveUp();
      });
    } finally {
      if (isSlow) this.#slow -= 1;
    }
  }

  #takeIdle(): SmtpSession | undefined {
    // The most recently used connection is the least likely to have been closed for idleness.
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      if (!session.isClosed) return session;
    }
    return undefined;
  }

  async #open(): Promise<SmtpSession | string> {
    try {
      const session = await SmtpSession.open(this.config);
      this.#offers = session.offers;
      this.#sessions.add(session);
      session.onClose(() => this.#forget(session));
      return session;
    } catch (error) {
      return `${this.config.host}:${this.config.port}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #giveBack(session: SmtpSession, outcome: SessionOutcome, slot: Slot): void {
    if (outcome.connection === 'reusable' && !session.isClosed) this.#idle.push(session);
    else if (outcome.connection === 'reset') slot.hold(this.#track(this.#resetThenGiveBack(session)));
    else session.close();
  }

  async #resetThenGiveBack(session: SmtpSession): Promise<void> {
    if (await session.reset()) this.#idle.push(session);
  }

  #forget(session: SmtpSession): void {
    this.#sessions.delete(session);
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** Runs `work` in one of `maxConnections` slots, for which the owners take turns. */
  async #withSlot<T>(owner: string, work: (slot: Slot) => Promise<T>, waitMs = Infinity): Promise<T | Unreachable> {
    if (this.#isClosed) return { kind: 'unreachable', reason: 'the pool is closed' };
    const atMost = Math.min(this.config.queueTimeoutMs, waitMs);
    if (!(await this.#slots.take(owner, atMost))) {
      const reason = this.#isClosed ? 'the pool is closed' : `no connection free in ${atMost} ms`;
      return { kind: 'unreachable', reason };
    }
    let held: Promise<void> | undefined;
    let isFree = false;
    const free = () => {
      if (!isFree) this.#slots.free(owner);
      isFree = true;
    };
    try {
      return await work({
        hold: until => {
          held = until;
        },
        giveUp: free,
      });
    } finally {
      if (held) void held.then(free);
      else free();
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = () => this.#underWay.delete(work);
    work.then(done, done);
    return work;
  }
}

const isTooLate = ({ window }: HandOver): boolean => window?.remainingMs === 0;
