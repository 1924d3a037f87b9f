import { Injectable } from '@nestjs/common';
import { PASSWORD_RESET_MINUTES } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import { inSteps } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { hashOfMailedToken, newMailedToken } from '../infrastructure/encryption/mailed-token.js';
import { AccountTransactions, eventsOf } from '../infrastructure/postgres/account-transactions.js';
import { END_SESSIONS_OF_USER } from '../sessions/sessions.sql.js';
import { type UserEvent, user, userStream } from '../users/user.js';
import { passwordReset, passwordResetStream, RESET_LIMITS } from './password-reset.js';
import {
  COUNT_RESET_REQUESTS,
  DELETE_OLD_RESET_REQUESTS,
  END_RESETS_OF_USER,
  FIND_RESET,
  INSERT_RESET_REQUEST,
  LOCK_RESET_REQUESTS,
  SET_PASSWORD,
  SET_RESET_TOKEN,
  USE_RESET_TOKEN,
} from './password-resets.sql.js';
import { PasswordResets } from './ports.js';

/** Stores requests as rows with the address and the token hash; events contain neither. */
@Injectable()
export class PostgresPasswordResets extends PasswordResets {
  constructor(
    private readonly database: Database,
    private readonly transactions: AccountTransactions,
  ) {
    super();
  }

  override async request(email: string, network: string): Promise<void> {
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

  override async issueToken(
    requestId: string,
  ): Promise<{ readonly email: string; readonly token: string } | undefined> {
    const { token, tokenHash } = newMailedToken();
    const values = [requestId, tokenHash, PASSWORD_RESET_MINUTES];
    const { rows } = await this.database.pool.query<{ email: string }>(SET_RESET_TOKEN, values);
    return rows[0] && { email: rows[0].email, token };
  }

  override async userOf(token: string): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ userId: string }>(FIND_RESET, [
      hashOfMailedToken(token),
      PASSWORD_RESET_MINUTES,
    ]);
    return rows[0]?.userId;
  }

  override confirm(userId: string, token: string, passwordHash: string): Promise<boolean> {
    const streamId = userStream(userId);
    return this.transactions.run([streamId], async client => {
      const used = await client.query(USE_RESET_TOKEN, [hashOfMailedToken(token), PASSWORD_RESET_MINUTES]);
      if (used.rowCount === 0) return undefined;
      const changed = await client.query(SET_PASSWORD, [userId, passwordHash]);
      if (changed.rowCount === 0) return undefined;
      await client.query(END_RESETS_OF_USER, [userId]);
      await client.query(END_SESSIONS_OF_USER, [userId]);
      const state = fold(user, await eventsOf<UserEvent>(client, streamId));
      return [{ streamId, events: user.decide({ kind: 'change-password', at: new Date().toISOString() }, state) }];
    });
  }

  override async deleteOld(): Promise<void> {
    await inSteps(this.database.pool, DELETE_OLD_RESET_REQUESTS, [RESET_LIMITS.windowS]);
  }
}
