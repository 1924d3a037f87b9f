import { Injectable } from '@nestjs/common';
import { inTransaction } from '@postern/event-sourcing/postgres';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { type LoginAttempt, UNKNOWN_DEVICE } from './login-attempt.js';
import { LOCK_LOGIN_ATTEMPTS, NETWORK_FAILURES, RECENT_FAILURES, RECORD_LOGIN_ATTEMPT } from './login-failures.sql.js';
import { isFirstOfNetwork, LOGIN_LIMITS, type RecentFailures, waitBeforeAttempt } from './login-limit.js';

/** Stores login failures as rows; a lock serialises the attempts of unknown devices on one account. */
@Injectable()
export class LoginFailures {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {}

  /**
   * Records a failure before the password is verified, unless there are too many. Attempts on one account are
   * serialised, so that concurrent guesses are all counted. @returns the seconds to wait if it was not recorded, or 0.
   */
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

  /** Whether a network has at least `failures` failures over all accounts within the window. */
  async exceeds(network: string, failures: number, windowS: number): Promise<boolean> {
    const { rows } = await this.database.pool.query(NETWORK_FAILURES, [network, windowS, failures]);
    return rows.length >= failures;
  }

  /** Deletes the failures of a source after a correct password; failures of other sources stay. */
  async clear({ account, network, source }: LoginAttempt): Promise<void> {
    const ofNetwork = source === UNKNOWN_DEVICE ? { ip: network } : {};
    await this.prisma.loginFailure.deleteMany({ where: { email: account, source, ...ofNetwork } });
  }
}
