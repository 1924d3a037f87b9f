import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';

/** How much a client may spend at once, in seconds of its budget. A larger burst delays the requests of other clients. */
const BURST_S = 2;
const FREQUENT = 10;
const FORGET_INTERVAL_MS = 10_000;

type ClientBudget = Exclude<RouteBudget, 'caller'>;

const BUDGETS = ['client', 'client-frequent', 'client-hooks'] as const satisfies readonly ClientBudget[];

/** What is left to a client. Both numbers grow with the budget's rate up to its burst. */
interface Balance {
  requests: number;
  /** Answers with 429. */
  refusals: number;
  /** When both were brought up to date. */
  at: number;
}

/** Token buckets for the requests without an accepted credential of each client. */
export class ClientBudgets {
  private readonly rates: Readonly<Record<ClientBudget, number>>;
  private readonly balances: Readonly<Record<ClientBudget, Map<string, Balance>>> = {
    client: new Map(),
    'client-frequent': new Map(),
    'client-hooks': new Map(),
  };
  private forgetAt = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    requestsPerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.rates = {
      client: requestsPerSecond,
      'client-frequent': requestsPerSecond * FREQUENT,
      'client-hooks': requestsPerSecond,
    };
  }

  /** Spends one request. @throws a 429 if nothing is left. */
  spend(budget: ClientBudget, client: string): void {
    this.forgetFull();
    const rate = this.rates[budget];
    const balance = this.balanceOf(budget, client) ?? {
      requests: rate * BURST_S,
      refusals: rate * BURST_S,
      at: this.now(),
    };
    this.balances[budget].set(client, balance);
    if (balance.requests >= 1) {
      balance.requests -= 1;
      return;
    }
    balance.refusals = Math.max(0, balance.refusals - 1);
    throw new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
      'retry-after': String(Math.ceil((1 - balance.requests) / rate)),
      connection: 'close',
    });
  }

  /** Gives back what a request has spent whose credential turned out to be valid. */
  refund(budget: ClientBudget, client: string): void {
    const balance = this.balanceOf(budget, client);
    if (balance) balance.requests = Math.min(this.rates[budget] * BURST_S, balance.requests + 1);
  }

  /** Whether the client has nothing left of a budget, not even an answer with 429. */
  isBlocked(client: string): boolean {
    return BUDGETS.some(budget => {
      const balance = this.balanceOf(budget, client);
      return balance !== undefined && balance.requests < 1 && balance.refusals < 1;
    });
  }

  /** The balance of now; undefined for a client that has spent nothing lately. */
  private balanceOf(budget: ClientBudget, client: string): Balance | undefined {
    const balance = this.balances[budget].get(client);
    if (!balance) return undefined;
    const rate = this.rates[budget];
    const now = this.now();
    const earned = ((now - balance.at) / 1_000) * rate;
    balance.requests = Math.min(rate * BURST_S, balance.requests + earned);
    balance.refusals = Math.min(rate * BURST_S, balance.refusals + earned);
    balance.at = now;
    return balance;
  }

  /** After so long a time, every balance that was not used is full. */
  private forgetFull(): void {
    const now = this.now();
    if (now < this.forgetAt) return;
    this.forgetAt = now + FORGET_INTERVAL_MS;
    for (const balances of Object.values(this.balances))
      for (const [client, { at }] of balances) if (now - at >= BURST_S * 1_000) balances.delete(client);
  }
}
