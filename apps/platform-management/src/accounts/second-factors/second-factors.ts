import { Injectable } from '@nestjs/common';
import { fold } from '@postern/event-sourcing';
import { Database, KeyRing } from '@postern/service-host';
import type pg from 'pg';
import { AccountTransactions, eventsOf } from '../account-transactions.js';
import { END_OTHER_SESSIONS } from '../sessions/sessions.sql.js';
import { type UserCommand, type UserEvent, user, userStream } from '../users/user.js';
import { sealedSecretRow } from './second-factor-secret.js';
import {
  CONFIRM_SECOND_FACTOR,
  COUNT_RECOVERY_CODES,
  DELETE_RECOVERY_CODES,
  DELETE_SECOND_FACTOR,
  FIND_SECOND_FACTOR,
  INSERT_RECOVERY_CODES,
  START_SECOND_FACTOR,
  USE_RECOVERY_CODE,
  USE_STEP,
} from './second-factors.sql.js';

export interface SecondFactorRow {
  /** The secret in base32. */
  readonly secret: string;
  readonly confirmed: boolean;
  /** Whether the second factor can still be confirmed. */
  readonly started: boolean;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
}

type Row = Omit<SecondFactorRow, 'secret'> & { readonly sealedSecret: string };

/** Stores encrypted secrets and hashes as rows; events record the changes without them. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly database: Database,
    private readonly transactions: AccountTransactions,
    private readonly keys: KeyRing,
  ) {}

  async find(userId: string): Promise<SecondFactorRow | undefined> {
    const { rows } = await this.database.pool.query<Row>(FIND_SECOND_FACTOR, [userId]);
    if (!rows[0]) return undefined;
    const { sealedSecret, ...row } = rows[0];
    return { ...row, secret: this.keys.open(sealedSecret, sealedSecretRow(userId)) };
  }

  /** @returns false, without a change, if the user has a confirmed second factor. */
  async start(userId: string, secret: string): Promise<boolean> {
    const values = [userId, this.keys.seal(secret, sealedSecretRow(userId))];
    return (await this.database.pool.query(START_SECOND_FACTOR, values)).rowCount === 1;
  }

  /**
   * Confirms the second factor and ends all sessions of the user except the one with the token, in one transaction.
   * @returns false if there is no second factor to confirm. @throws the refusal `second_factor_enabled`.
   */
  confirm(userId: string, step: number, hashes: readonly string[], tokenHash: string): Promise<boolean> {
    return this.#write(userId, { kind: 'enable-second-factor' }, async client => {
      if ((await client.query(CONFIRM_SECOND_FACTOR, [userId, step])).rowCount === 0) return false;
      await client.query(DELETE_RECOVERY_CODES, [userId]);
      await client.query(INSERT_RECOVERY_CODES, [userId, hashes]);
      await client.query(END_OTHER_SESSIONS, [userId, tokenHash]);
      return true;
    });
  }

  /** @returns false if a code of this or a later step was used before. */
  async useStep(userId: string, step: number): Promise<boolean> {
    return (await this.database.pool.query(USE_STEP, [userId, step])).rowCount === 1;
  }

  /** @returns false if the code does not exist or was used before. */
  useRecoveryCode(userId: string, codeHash: string): Promise<boolean> {
    const streamId = userStream(userId);
    return this.transactions.run([streamId], async client => {
      if ((await client.query(USE_RECOVERY_CODE, [userId, codeHash])).rowCount === 0) return undefined;
      const { rows } = await client.query(COUNT_RECOVERY_CODES, [userId]);
      return [await decided(client, userId, { kind: 'use-recovery-code', left: rows[0].left, at: now() })];
    });
  }

  /** @throws the refusal `second_factor_not_enabled`. */
  async renewRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void> {
    await this.#write(userId, { kind: 'renew-recovery-codes' }, async client => {
      await client.query(DELETE_RECOVERY_CODES, [userId]);
      await client.query(INSERT_RECOVERY_CODES, [userId, hashes]);
      return true;
    });
  }

  /** @throws the refusal `second_factor_not_enabled`. */
  async remove(userId: string, actorId: string): Promise<void> {
    await this.#write(userId, { kind: 'disable-second-factor', actorId }, async client => {
      await client.query(DELETE_SECOND_FACTOR, [userId]);
      return true;
    });
  }

  /** Appends the events of the command and changes the rows in one transaction. @returns false if `change` returned false. */
  #write(
    userId: string,
    command: WithoutTime<UserCommand>,
    change: (client: pg.PoolClient) => Promise<boolean>,
  ): Promise<boolean> {
    return this.transactions.run([userStream(userId)], async client => {
      const append = await decided(client, userId, { ...command, at: now() } as UserCommand);
      return (await change(client)) ? [append] : undefined;
    });
  }
}

type WithoutTime<Command> = Command extends unknown ? Omit<Command, 'at'> : never;

const now = (): string => new Date().toISOString();

const decided = async (client: pg.PoolClient, userId: string, command: UserCommand) => {
  const streamId = userStream(userId);
  return { streamId, events: user.decide(command, fold(user, await eventsOf<UserEvent>(client, streamId))) };
};
