import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import { PrismaClient } from '../../generated/prisma/client.js';
import { AccountTransactions, eventsOf } from '../account-transactions.js';
import { END_SESSIONS_OF_USER } from '../sessions/sessions.sql.js';
import { FIND_ENABLED_OPERATOR, SET_DISABLED } from './credentials.sql.js';
import type { AccountMails, Credentials } from './ports.js';
import { type UserEvent, user, userStream } from './user.js';

/** The name of a lock, not of a stream, which serializes operators who disable each other. */
const OPERATORS = 'operators';

/** Reads and changes credentials; the rows and their events are written in one transaction. */
@Injectable()
export class UserRepository {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly prisma: PrismaClient,
  ) {}

  async credentialsOf(email: string): Promise<Credentials | undefined> {
    const found = await this.prisma.credential.findUnique({ where: { email } });
    return found
      ? { userId: found.userId, passwordHash: found.passwordHash, disabled: found.disabledAt !== null }
      : undefined;
  }

  async passwordHashOf(userId: string): Promise<string | undefined> {
    return (await this.prisma.credential.findUnique({ where: { userId } }))?.passwordHash;
  }

  /**
   * Disables or enables a user; disabling ends all sessions in the same transaction. Repetitions have no effect.
   * @throws the refusal `invalid_input` for the last operator who can sign in.
   */
  async setEnabled(userId: string, enabled: boolean, actorId: string): Promise<void> {
    const streamId = userStream(userId);
    const kind = enabled ? 'enable' : 'disable';
    await this.transactions.run([OPERATORS, streamId], async client => {
      const state = fold(user, await eventsOf<UserEvent>(client, streamId));
      const events = user.decide({ kind, actorId, at: new Date().toISOString() }, state);
      if (events.length === 0) return undefined;
      const { rowCount } = await client.query(SET_DISABLED, [userId, !enabled]);
      if (rowCount === 0) return undefined;
      if (!enabled) {
        const { rows } = await client.query(FIND_ENABLED_OPERATOR);
        if (rows.length === 0) throw new Refusal('invalid_input', 'the last operator cannot be disabled');
        await client.query(END_SESSIONS_OF_USER, [userId]);
      }
      return [{ streamId, events }];
    });
  }

  /** Turns mail about the workspaces that the user owns on or off; undefined leaves it as it is. */
  async setMails(userId: string, mails: Partial<AccountMails>): Promise<void> {
    await this.prisma.credential.updateMany({ where: { userId }, data: mails });
  }
}
