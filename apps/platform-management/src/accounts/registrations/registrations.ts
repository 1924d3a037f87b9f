import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { fold } from '@postern/event-sourcing';
import type pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';
import { AccountTransactions, type StreamEvents } from '../account-transactions.js';
import { FIND_OPERATOR, INSERT_CREDENTIALS } from '../users/credentials.sql.js';
import { user, userStream } from '../users/user.js';
import { workspaceCreation } from '../workspaces/workspace-creation.js';

/** A user whose address is in lower case, with the user's first workspace. */
export interface NewUser {
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly operator: boolean;
  readonly workspace: { readonly id: string; readonly name: string };
}

/** The name of a lock, not of a stream, so that only one process creates the first operator. */
const FIRST_OPERATOR = 'first-operator';

/**
 * Writes the credentials and the first events of user and workspace in one transaction. Events contain no hashes, so that hashes
 * can be deleted.
 */
@Injectable()
export class Registrations {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly prisma: PrismaClient,
  ) {}

  /** The read models include the user when this resolves. @throws the refusal `user_exists`. */
  async register(newUser: NewUser): Promise<void> {
    const events = firstEventsOf(newUser);
    await this.transactions.run(streamsOf(events), async client => {
      await insertCredentials(client, newUser);
      return events;
    });
  }

  /** Like `register`, but only once over all replicas. @returns false if an operator exists. */
  registerFirstOperator(newUser: NewUser): Promise<boolean> {
    const events = firstEventsOf(newUser);
    return this.transactions.run([FIRST_OPERATOR, ...streamsOf(events)], async client => {
      const { rows } = await client.query(FIND_OPERATOR);
      if (rows.length > 0) return undefined;
      await insertCredentials(client, newUser);
      return events;
    });
  }

  async hasOperator(): Promise<boolean> {
    return (await this.prisma.credential.findFirst({ where: { operator: true }, select: { userId: true } })) !== null;
  }
}

const firstEventsOf = ({ userId, email, operator, workspace: first }: NewUser): readonly StreamEvents[] => {
  const at = new Date().toISOString();
  const registered = user.decide({ kind: 'register', userId, email, operator, at }, user.initial);
  const joined = user.decide({ kind: 'join-workspace', workspaceId: first.id, at }, fold(user, registered));
  return [workspaceCreation(first, userId, at), { streamId: userStream(userId), events: [...registered, ...joined] }];
};

const streamsOf = (events: readonly StreamEvents[]): string[] => events.map(({ streamId }) => streamId);

const insertCredentials = async (
  client: pg.PoolClient,
  { userId, email, passwordHash, operator }: NewUser,
): Promise<void> => {
  const { rowCount } = await client.query(INSERT_CREDENTIALS, [userId, email, passwordHash, operator]);
  if (rowCount === 0) throw new Refusal('user_exists', 'email: a user with this email already exists');
};
