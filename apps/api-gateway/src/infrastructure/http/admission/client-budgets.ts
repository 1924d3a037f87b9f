import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';

/** How much a client may spend at once, in seconds of its budget. A larger burst delays the requests of other clients. */
const BURST_S = 2;
/** How long a client that went on while it was refused gets nothing, at most. */
const DEBT_S = 10;
const FREQUENT = 10;
/** The part of a budget that refused requests may spend: a refusal asks a service, or is the work of a scanner. */
const REFUSED_SHARE = 1 / 5;
const FORGET_INTERVAL_MS = 10_000;

export type ClientBudget = Exclude<RouteBudget, 'caller'>;

const BUDGETS = ['client', 'client-frequent', 'client-hooks'] as const satisfies readonly ClientBudget[];

/** What is left to a client. Both numbers grow with their rate up to their burst. */
interface Balance {
  /** Below zero, requests are answered 429, and each of them spends as well. */
  requests: number;
  /** Requests that were answered with an error. */
  refused: number;
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
    private readonly requestsPerSecond: number,
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
    const balance = this.opened(budget, client);
    if (balance.requests >= 1 && balance.refused >= 1) {
      balance.requests -= 1;
      return;
    }
    // A client that continues although it is refused stays refused.
    balance.requests = Math.min(balance.requests, 1);
    this.take(budget, balance);
    throw new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
      'retry-after': String(Math.max(1, Math.ceil(this.secondsUntilOne(budget, balance)))),
      connection: 'close',
    });
  }

  /** Gives back what a request has spent whose credential turned out to be valid. */
  refund(budget: ClientBudget, client: string): void {
    const balance = this.balanceOf(budget, client);
    if (balance) balance.requests = Math.min(this.rates[budget] * BURST_S, balance.requests + 1);
  }

  /** Counts that a request was answered with an error. */
  refuse(budget: ClientBudget, client: string): void {
    const balance = this.opened(budget, client);
    balance.refused = Math.max(0, balance.refused - 1);
  }

  /** Counts a request that is not answered at all. */
  drop(client: string): void {
    this.take('client', this.opened('client', client));
  }

  /** Whether the client has nothing left of a budget, not even an answer with 429. */
  isBlocked(client: string): boolean {
    return BUDGETS.some(budget => {
      const balance = this.balanceOf(budget, client);
      return balance !== undefined && balance.requests <= -this.rates[budget] * BURST_S;
    });
  }

  /** A request that is not served costs as much time in every budget. */
  private take(budget: ClientBudget, balance: Balance): void {
    const rate = this.rates[budget];
    balance.requests = Math.max(-rate * DEBT_S, balance.requests - rate / this.requestsPerSecond);
  }

  private secondsUntilOne(budget: ClientBudget, { requests, refused }: Balance): number {
    const rate = this.rates[budget];
    return Math.max((1 - requests) / rate, (1 - refused) / (rate * REFUSED_SHARE));
  }

  private opened(budget: ClientBudget, client: string): Balance {
    this.forgetFull();
    const rate = this.rates[budget];
    const balance = this.balanceOf(budget, client) ?? {
      requests: rate * BURST_S,
      refused: mostRefused(rate),
      at: this.now(),
    };
    this.balances[budget].set(client, balance);
    return balance;
  }

  /** The balance of now; undefined for a client that has spent nothing lately. */
  private balanceOf(budget: ClientBudget, client: string): Balance | undefined {
    const balance = this.balances[budget].get(client);
    if (!balance) return undefined;
    const rate = this.rates[budget];
    const now = this.now();
    const earned = ((now - balance.at) / 1_000) * rate;
    balance.requests = Math.min(rate * BURST_S, balance.requests + earned);
    balance.refused = Math.min(mostRefused(rate), balance.refused + earned * REFUSED_SHARE);
    balance.at = now;
    return balance;
  }

  /** After so long a time, every balance that was not used is full. */
  private forgetFull(): void {
    const now = this.now();
    if (now < this.forgetAt) return;
    this.forgetAt = now + FORGET_INTERVAL_MS;
    const fullAfterMs = (DEBT_S + BURST_S) * 1_000;
    for (const balances of Object.values(this.balances))
      for (const [client, { at }] of balances) if (now - at >= fullAfterMs) balances.delete(client);
  }
}

/** A slow budget has two as well, so that a client learns why before it is limited. */
const mostRefused = (rate: number): number => Math.max(2, rate * BURST_S * REFUSED_SHARE);
