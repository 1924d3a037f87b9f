import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';
import { BURST_S, TokenBuckets } from './token-buckets.js';

/** How long a client that went on while it was refused gets nothing, at most. */
const DEBT_S = 10;
const FREQUENT = 10;
/** The part of a budget that refused requests may spend: a refusal asks a service, or is the work of a scanner. */
const REFUSED_SHARE = 1 / 4;

export type ClientBudget = Exclude<RouteBudget, 'caller'>;

const BUDGETS = ['client', 'client-frequent', 'client-hooks'] as const satisfies readonly ClientBudget[];

/** What is left to clients. */
interface Balance {
  /** Below zero, requests are answered 429, and each of them spends as well. */
  readonly requests: TokenBuckets;
  /** Requests that were answered with an error. */
  readonly refused: TokenBuckets;
  /** What a request that is not served takes of `requests`: as much time in every budget. */
  readonly unserved: number;
  /** The level of `requests` at which a client is not answered at all. */
  readonly blocked: number;
}

/** Token buckets for the requests without an accepted credential of each client. */
export class ClientBudgets {
  private readonly balances: Readonly<Record<ClientBudget, Balance>>;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(requestsPerSecond: number, now: () => number = () => performance.now()) {
    const balance = (perSecond: number): Balance => {
      const burst = perSecond * BURST_S;
      // A slow budget has two as well, so that a client learns why before it is limited.
      const mostRefused = Math.max(2, burst * REFUSED_SHARE);
      return {
        requests: new TokenBuckets(perSecond, burst, now, perSecond * DEBT_S),
        refused: new TokenBuckets(perSecond * REFUSED_SHARE, mostRefused, now),
        unserved: perSecond / requestsPerSecond,
        blocked: -burst,
      };
    };
    this.balances = {
      client: balance(requestsPerSecond),
      'client-frequent': balance(requestsPerSecond * FREQUENT),
      'client-hooks': balance(requestsPerSecond),
    };
  }

  /** Spends one request. @throws a 429 if nothing is left. */
  spend(budget: ClientBudget, client: string): void {
    const { requests, refused, unserved } = this.balances[budget];
    if (refused.level(client) >= 1 && requests.spend(client) === 0) return;
    // A client that continues although it is refused stays refused.
    requests.lower(client, 1);
    requests.take(client, unserved);
    const waitS = Math.max(requests.secondsUntilOne(client), refused.secondsUntilOne(client));
    throw new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
      'retry-after': String(Math.max(1, Math.ceil(waitS))),
      connection: 'close',
    });
  }

  /** Gives back what a request has spent whose credential turned out to be valid. */
  refund(budget: ClientBudget, client: string): void {
    this.balances[budget].requests.refund(client);
  }

  /** Counts that a request was answered with an error. */
  refuse(budget: ClientBudget, client: string): void {
    this.balances[budget].refused.take(client);
  }

  /** Counts a request that is not answered at all. */
  drop(client: string): void {
    const { requests, unserved } = this.balances.client;
    requests.take(client, unserved);
  }

  /** Whether the client has nothing left of a budget, not even an answer with 429. */
  isBlocked(client: string): boolean {
    return BUDGETS.some(budget => this.balances[budget].requests.level(client) <= this.balances[budget].blocked);
  }
}
