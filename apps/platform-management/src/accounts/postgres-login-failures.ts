import { Injectable } from '@nestjs/common';
import { inSteps, inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { DELETE_OLD_LOGIN_FAILURES, LOCK_LOGIN_ATTEMPTS, RECORD_LOGIN_ATTEMPT } from './accounts.sql.js';
import type { LoginFailures, LoginLimits } from './ports.js';

/** Stores login failures as rows; locks serialise the attempts on one account and from one address. */
@Injectable()
export class PostgresLoginFailures implements LoginFailures {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  recordAttempt(email: string, ip: string, { windowS, perAccount, perAddress }: LoginLimits): Promise<boolean> {
    return inTransaction(this.database.pool, async client => {
      await client.query(LOCK_LOGIN_ATTEMPTS, [[email, ip]]);
      const { rowCount } = await client.query(RECORD_LOGIN_ATTEMPT, [email, ip, windowS, perAccount, perAddress]);
      return rowCount === 1;
    });
  }

  async clear(email: string): Promise<void> {
    await this.prisma.loginFailure.deleteMany({ where: { email } });
  }

  async deleteOlderThan(windowS: number): Promise<void> {
    await inSteps(this.database.pool, DELETE_OLD_LOGIN_FAILURES, [windowS]);
  }
}
