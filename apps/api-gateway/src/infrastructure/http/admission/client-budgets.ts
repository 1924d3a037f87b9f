import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';
import { BURST_S, TokenBuckets } from './token-buckets.js';

const FREQUENT = 10;

type ClientBudget = Exclude<RouteBudget, 'caller'>;

const BUDGETS = ['client', 'client-frequent', 'client-hooks'] as const satisfies readonly ClientBudget[];

/** What is left to clients. */
interface Balance {
  readonly requests: TokenBuckets;
  /** Answers with 429. */
  readonly refusals: TokenBuckets;
}

/** Token buckets for the requests without an accepted credential of each client. */
export class ClientBudgets {
  private readonly balances: Readonly<Record<ClientBudget, Balance>>;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(requestsPerSecond: number, now: () => number = () => performance.now()) {
    const balance = (perSecond: number): Balance => ({
      requests: new TokenBuckets(perSecond, perSecond * BURST_S, now),
      refusals: new TokenBuckets(perSecond, perSecond * BURST_S, now),
    });
    this.balances = {
      client: balance(requestsPerSecond),
      'client-frequent': balance(requestsPerSecond * FREQUENT),
      'client-hooks': balance(requestsPerSecond),
    };
  }

  /** Spends one request. @throws a 429 if nothing is left. */
  spend(budget: ClientBudget, client: string): void {
    const { requests, refusals } = this.balances[budget];
    const waitS = requests.spend(client);
    if (waitS === 0) return;
    refusals.drain(client);
    throw new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
      'retry-after': String(Math.ceil(waitS)),
      connection: 'close',
    });
  }

  /** Gives back what a request has spent whose credential turned out to be valid. */
  refund(budget: ClientBudget, client: string): void {
    this.balances[budget].requests.refund(client);
  }

  /** Whether the client has nothing left of a budget, not even an answer with 429. */
  isBlocked(client: string): boolean {
    return BUDGETS.some(budget => {
      const { requests, refusals } = this.balances[budget];
      return requests.isEmpty(client) && refusals.isEmpty(client);
    });
  }
}
