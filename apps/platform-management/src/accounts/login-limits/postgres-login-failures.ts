import { Injectable } from '@nestjs/common';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { LOCK_LOGIN_ATTEMPTS, NETWORK_FAILURES, RECENT_FAILURES, RECORD_LOGIN_ATTEMPT } from './login-failures.sql.js';
import { isFirstOfNetwork, LOGIN_LIMITS, type RecentFailures, waitBeforeAttempt } from './login-limit.js';
import { type LoginAttempt, type LoginFailures, UNKNOWN_DEVICE } from './ports.js';

/** Stores login failures as rows; a lock serialises the attempts of unknown devices on one account. */
@Injectable()
export class PostgresLoginFailures implements LoginFailures {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  recordAttempt({ account, network, wideNetwork, source }: LoginAttempt): Promise<number> {
    const { windowS, perSource } = LOGIN_LIMITS;
    return inTransaction(this.database.pool, async client => {
      await client.query(LOCK_LOGIN_ATTEMPTS, [account, source]);
      const { rows } = await client.query<RecentFailures>(RECENT_FAILURES, [
        account,
        source,
        source === UNKNOWN_DEVICE ? network : null,
        windowS,
        perSource,
        source === UNKNOWN_DEVICE ? wideNetwork : null,
      ]);
      const [recent] = rows;
      if (!recent) throw new Error('the failures of an account were not counted');
      const waitS = waitBeforeAttempt(recent);
      const values = [account, network, source, wideNetwork, isFirstOfNetwork(recent)];
      if (waitS === 0) await client.query(RECORD_LOGIN_ATTEMPT, values);
      return waitS;
    });
  }

  async exceeds(network: string, failures: number, windowS: number): Promise<boolean> {
    const { rows } = await this.database.pool.query(NETWORK_FAILURES, [network, windowS, failures]);
    return rows.length >= failures;
  }

  async clear({ account, network, source }: LoginAttempt): Promise<void> {
    const ofNetwork = source === UNKNOWN_DEVICE ? { ip: network } : {};
    await this.prisma.loginFailure.deleteMany({ where: { email: account, source, ...ofNetwork } });
  }
}
