import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { KeyedSlots } from '@postern/service-host';
import { type LoginAttempt, SESSION, UNKNOWN_DEVICE } from './login-attempt.js';
import { LoginFailures } from './login-failures.js';
import { LOGIN_LIMITS, NETWORK_LIMITS, tooManyAttempts } from './login-limit.js';

/** Seconds after which a client retries while its earlier attempts are still running. */
const BUSY_RETRY_S = 1;

/** Maximum concurrent verifications of known and of unknown devices; each occupies a processor for tens of ms. */
const HALF_OF_THE_PROCESSORS = Math.max(1, Math.floor(availableParallelism() / 2));

/**
 * Counts failures before it verifies passwords. A client can verify two passwords concurrently. All unknown devices together can use
 * half of the processors, so that a flood of guesses leaves the other half to known devices and other services.
 */
@Injectable()
export class LoginGuard {
  readonly #ofClient = new KeyedSlots({ running: 2, waiting: 30 });
  readonly #verifying = new KeyedSlots({ running: HALF_OF_THE_PROCESSORS, waiting: 1_000 });

  constructor(private readonly failures: LoginFailures) {}

  /**
   * Records the attempt as failed, then runs `verify`; a result clears the failures of the attempt's source.
   * @throws the refusal `too_many_attempts` without running `verify`.
   */
  attempt<Proof>(attempt: LoginAttempt, verify: () => Promise<Proof | undefined>): Promise<Proof | undefined> {
    const { account, network, source } = attempt;
    const known = source !== UNKNOWN_DEVICE;
    const client = known ? `${source} ${account}` : network;
    return this.#ofClient.run(
      client,
      async () => {
        if (!known && (await this.failures.exceeds(network, NETWORK_LIMITS.failures, LOGIN_LIMITS.windowS)))
          await pause(NETWORK_LIMITS.pauseMs);
        const waitS = await this.failures.recordAttempt(attempt);
        if (waitS > 0) throw tooManyAttempts(waitS);
        const proof = await this.#verifying.run(known ? 'known' : 'unknown', verify, busy);
        if (proof !== undefined) await this.failures.clear(attempt);
        return proof;
      },
      busy,
    );
  }

  /** Limits the passwords that are tried with a session, separately from logins. */
  attemptInSession<Proof>(account: string, verify: () => Promise<Proof | undefined>): Promise<Proof | undefined> {
    return this.attempt({ account, network: '', wideNetwork: '', source: SESSION }, verify);
  }
}

const busy = () => tooManyAttempts(BUSY_RETRY_S);
