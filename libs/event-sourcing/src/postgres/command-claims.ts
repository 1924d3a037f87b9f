import { hash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { runUnderClaim, runWithoutClaim, type WriteClaim } from './claimed-writes.js';
import {
  CLAIM,
  END_LEASE,
  FIND_CLAIM,
  PURGE_CLAIMS,
  RELEASE_CLAIM,
  RENEW_CLAIM,
  STORE_ANSWER,
} from './command-claims.sql.js';
import { inSteps } from './in-steps.js';

/** A request under a key of its caller. */
export interface CommandClaim {
  readonly caller: string;
  readonly key: string;
  /** Identifies the request; another one under the same key is refused. */
  readonly fingerprint: string;
}

/** An earlier request under the same key. */
export interface EarlierCommand {
  readonly isSameRequest: boolean;
  readonly token: string;
  /** Its stored answer, if it has ended. */
  readonly answer: string | undefined;
  /** Whether a transaction of it was committed. */
  readonly isCarriedOut: boolean;
  /** Whether a process is still working on it. */
  readonly isHeld: boolean;
}

interface ClaimRow {
  readonly fingerprint: string;
  readonly token: string;
  readonly carried_out: boolean;
  readonly answer: string | null;
  readonly held: boolean;
}

const RENEW_EVERY_MS = 3_000;
/** A command that never ends loses its claim. */
const RENEW_FOR_MS = 120_000;

/** A command that this process carries out; its transactions must use a pool of `claimedPool`. */
export class ClaimedCommand {
  readonly #claim: WriteClaim;
  readonly #renewal: NodeJS.Timeout;

  constructor(
    private readonly pool: pg.Pool,
    claim: CommandClaim,
    readonly token: string,
  ) {
    this.#claim = { caller: claim.caller, key: storedKey(claim), token, hasWritten: false, isEnded: false };
    const until = performance.now() + RENEW_FOR_MS;
    this.#renewal = setInterval(() => {
      // A failed renewal is followed by the next one; a lost claim costs no more than a repetition of the command.
      if (performance.now() < until) this.#query(RENEW_CLAIM).catch(() => {});
      else clearInterval(this.#renewal);
    }, RENEW_EVERY_MS).unref();
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return runUnderClaim(this.#claim, work);
  }

  /** Stores the answer for repetitions. */
  async end(answer: string): Promise<void> {
    clearInterval(this.#renewal);
    await this.#query(STORE_ANSWER, [answer]);
    this.#claim.isEnded = true;
  }

  /**
   * Gives the key back, so that a repetition runs the command.
   * @returns false if it was carried out; then a repetition is told so.
   */
  async release(): Promise<boolean> {
    clearInterval(this.#renewal);
    const isReleased = await this.#query(RELEASE_CLAIM);
    if (!isReleased) await this.#query(END_LEASE);
    return isReleased;
  }

  async #query(statement: string, values: readonly unknown[] = []): Promise<boolean> {
    const { caller, key, token } = this.#claim;
    const { rowCount } = await runWithoutClaim(() => this.pool.query(statement, [caller, key, token, ...values]));
    return rowCount === 1;
  }
}

/** Commands by the key of their caller, with their answers, for 24 hours by the clock of the database. */
export class CommandClaims {
  constructor(private readonly pool: pg.Pool) {}

  /** Undefined if an earlier request gave its key back at this moment. */
  async claim(claim: CommandClaim): Promise<ClaimedCommand | EarlierCommand | undefined> {
    const { caller, fingerprint } = claim;
    const key = storedKey(claim);
    const token = randomUUID();
    const { rowCount } = await this.pool.query(CLAIM, [caller, key, fingerprint, token]);
    if (rowCount === 1) return new ClaimedCommand(this.pool, claim, token);
    const { rows } = await this.pool.query<ClaimRow>(FIND_CLAIM, [caller, key]);
    return rows[0] && earlierCommand(rows[0], fingerprint);
  }

  /** Deletes expired claims in small steps. */
  async purge(): Promise<void> {
    await inSteps(this.pool, PURGE_CLAIMS, []);
  }
}

/** Clients choose keys, which may contain an address. */
const storedKey = ({ key }: CommandClaim): string => hash('sha256', key, 'hex');

const earlierCommand = (row: ClaimRow, fingerprint: string): EarlierCommand => ({
  isSameRequest: row.fingerprint === fingerprint,
  token: row.token,
  answer: row.answer ?? undefined,
  isCarriedOut: row.carried_out,
  isHeld: row.held,
});
