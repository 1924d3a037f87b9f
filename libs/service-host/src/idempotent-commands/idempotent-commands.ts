import { REPEAT_REFUSALS, Refusal } from '@postern/contracts';
import { ClaimedCommand, ClaimLost, CommandClaims, type EarlierCommand } from '@postern/event-sourcing/postgres';
import {
  type KeyedReply,
  type KeyedRequests,
  type Log,
  type RefusalBody,
  type RequestKey,
  ServiceUnavailable,
  TemporarilyUnavailable,
  withoutEffect,
} from '@postern/messaging';
import type pg from 'pg';
import { SEALED_ANSWERS } from '../operations/sealed-columns.js';
import { hasEncryptionKeys } from '../secrets/encryption-config.js';
import { KeyRing } from '../secrets/key-ring.js';
import { type AnswerSeal, sealedByRequestKey, sealedByService } from './answer-seal.js';

type Answer = { readonly ok: unknown } | { readonly refusal: RefusalBody };

/**
 * Carries out each command with an `Idempotency-Key` once. A transaction of the command records that it was carried out, so
 * that a crash between the commit and the answer is recognised, and a crash before the commit leaves the command to a
 * repetition.
 */
export class IdempotentCommands implements KeyedRequests {
  constructor(
    private readonly claims: CommandClaims,
    private readonly seal: AnswerSeal,
    private readonly log: Log,
  ) {}

  async answer(key: RequestKey, work: () => Promise<unknown>): Promise<KeyedReply> {
    const claimed = await this.#claim(key);
    return claimed instanceof ClaimedCommand ? this.#run(key, claimed, work) : this.#repeat(key, claimed);
  }

  purge(): Promise<void> {
    return this.claims.purge();
  }

  async #claim(key: RequestKey): Promise<ClaimedCommand | EarlierCommand | undefined> {
    try {
      return await this.claims.claim(key);
    } catch (error) {
      // The command has not begun.
      throw withoutEffect(error);
    }
  }

  async #run(key: RequestKey, command: ClaimedCommand, work: () => Promise<unknown>): Promise<KeyedReply> {
    let ok: unknown;
    try {
      ok = await command.run(work);
    } catch (error) {
      throw await this.#failed(key, command, error);
    }
    await this.#end(key, command, { ok: ok ?? null });
    return { ok, replayed: false };
  }

  /** The error for the caller; says so if nothing was carried out. */
  async #failed(key: RequestKey, command: ClaimedCommand, error: unknown): Promise<unknown> {
    let isReleased: boolean;
    try {
      isReleased = await command.release();
    } catch (err) {
      this.log.warn({ err }, 'An idempotency key could not be released; it is free again when its lease ends');
      return error;
    }
    if (error instanceof ClaimLost) {
      return new TemporarilyUnavailable(error.message, { maybeExecuted: true, retryAfterS: 1, cause: error });
    }
    if (!isReleased && Refusal.is(error)) {
      const { code, message, details } = error;
      await this.#end(key, command, { refusal: { code, message, details } });
      return error;
    }
    const wasCalled = error instanceof ServiceUnavailable && error.maybeExecuted;
    return isReleased && !Refusal.is(error) && !wasCalled ? withoutEffect(error) : error;
  }

  /** The caller gets its answer even if it cannot be stored; a repetition is then told that it was lost. */
  async #end(key: RequestKey, command: ClaimedCommand, answer: Answer): Promise<void> {
    try {
      await command.end(this.seal.seal(JSON.stringify(answer), rowOf(command), key));
    } catch (err) {
      this.log.warn({ err }, 'The answer of a command could not be stored for its repetitions');
    }
  }

  #repeat(key: RequestKey, earlier: EarlierCommand | undefined): KeyedReply {
    if (earlier && !earlier.isSameRequest) {
      throw refusal('idempotency_key_reused', 'this Idempotency-Key was already used with a different request');
    }
    if (earlier?.answer !== undefined) {
      return { ...(JSON.parse(this.seal.open(earlier.answer, rowOf(earlier), key)) as Answer), replayed: true };
    }
    if (earlier?.isCarriedOut && !earlier.isHeld) throw refusal('idempotency_answer_lost', ANSWER_LOST);
    throw refusal('idempotency_key_in_flight', 'the request with this Idempotency-Key is still in progress', {
      retry_after_s: 1,
    });
  }
}

const ANSWER_LOST =
  'the request with this Idempotency-Key was carried out, but an interruption lost its answer; it will not be carried out ' +
  'again. Read the resource or its list to see the result';

const refusal = (
  code: keyof typeof REPEAT_REFUSALS,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Refusal => new Refusal(code, message, details);

const rowOf = ({ token }: { readonly token: string }): string => SEALED_ANSWERS.rowOf(token);

/** For a service with this database. */
export const commandsOf = (pool: pg.Pool, config: unknown, log: Log): IdempotentCommands =>
  new IdempotentCommands(
    new CommandClaims(pool),
    hasEncryptionKeys(config) ? sealedByService(new KeyRing(config.encryptionKeys)) : sealedByRequestKey,
    log,
  );
