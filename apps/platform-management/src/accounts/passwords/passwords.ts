import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PASSWORD_RESET_MINUTES } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import { Database } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { AccountTransactions, eventsOf, type StreamEvents } from '../account-transactions.js';
import { newMailedToken } from '../mailed-token.js';
import { END_SESSIONS_OF_USER } from '../sessions/sessions.sql.js';
import { type UserEvent, user, userStream } from '../users/user.js';
import { passwordReset, passwordResetStream, RESET_LIMITS } from './password-reset.js';
import {
  COUNT_RESET_REQUESTS,
  END_RESETS_OF_USER,
  FIND_RESET,
  INSERT_RESET_REQUEST,
  LOCK_RESET_REQUESTS,
  REPLACE_PASSWORD,
  SET_PASSWORD,
  SET_RESET_TOKEN,
  USE_RESET_TOKEN,
} from './password-resets.sql.js';

/** Changes passwords. Requests for a mailed link are rows with the address and the token hash; events contain neither. */
@Injectable()
export class Passwords {
  constructor(
    private readonly database: Database,
    private readonly transactions: AccountTransactions,
  ) {}

  /** Stores the request and its event, unless the address or network has exceeded its limit. */
  async request(email: string, network: string): Promise<void> {
    const requestId = uuidv7();
    const streamId = passwordResetStream(requestId);
    await this.transactions.run([streamId], async client => {
      for (const one of [`network ${network}`, `address ${email}`]) await client.query(LOCK_RESET_REQUESTS, [one]);
      const { windowS, perAddress, perNetwork } = RESET_LIMITS;
      const { rows } = await client.query(COUNT_RESET_REQUESTS, [email, network, windowS]);
      if (rows[0].ofAddress >= perAddress || rows[0].ofNetwork >= perNetwork) return undefined;
      await client.query(INSERT_RESET_REQUEST, [requestId, email, network]);
      const command = { kind: 'request', requestId, at: new Date().toISOString() } as const;
      return [{ streamId, events: passwordReset.decide(command, passwordReset.initial) }];
    });
  }

  /** Replaces the token and stores its hash. @returns the recipient and the token; undefined if no mail is to be sent. */
  async issueToken(requestId: string): Promise<{ readonly email: string; readonly token: string } | undefined> {
    const { token, tokenHash } = newMailedToken();
    const values = [requestId, tokenHash, PASSWORD_RESET_MINUTES];
    const { rows } = await this.database.pool.query<{ email: string }>(SET_RESET_TOKEN, values);
    return rows[0] && { email: rows[0].email, token };
  }

  /** The user of a token that has neither expired nor been used. */
  async userOf(token: string): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ userId: string }>(FIND_RESET, [
      hash('sha256', token),
      PASSWORD_RESET_MINUTES,
    ]);
    return rows[0]?.userId;
  }

  /** @returns false, without a change, if `verified` is no longer the hash of the password. */
  replace(userId: string, verified: string, passwordHash: string): Promise<boolean> {
    return this.transactions.run([userStream(userId)], client =>
      changed(client, userId, { text: REPLACE_PASSWORD, values: [userId, verified, passwordHash] }),
    );
  }

  /**
   * Uses the token and replaces the password in one transaction.
   * @returns false, without a change, if the token was used in the meantime.
   */
  confirm(userId: string, token: string, passwordHash: string): Promise<boolean> {
    return this.transactions.run([userStream(userId)], async client => {
      const used = await client.query(USE_RESET_TOKEN, [hash('sha256', token), PASSWORD_RESET_MINUTES]);
      if (used.rowCount === 0) return undefined;
      return changed(client, userId, { text: SET_PASSWORD, values: [userId, passwordHash] });
    });
  }
}

/** Changes the password, and ends all sessions and mailed links of the user. */
const changed = async (
  client: pg.PoolClient,
  userId: string,
  change: pg.QueryConfig,
): Promise<readonly StreamEvents[] | undefined> => {
  if ((await client.query(change)).rowCount === 0) return undefined;
  await client.query(END_RESETS_OF_USER, [userId]);
  await client.query(END_SESSIONS_OF_USER, [userId]);
  const streamId = userStream(userId);
  const state = fold(user, await eventsOf<UserEvent>(client, streamId));
  return [{ streamId, events: user.decide({ kind: 'change-password', at: new Date().toISOString() }, state) }];
};
