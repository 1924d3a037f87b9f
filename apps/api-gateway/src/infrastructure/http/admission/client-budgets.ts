import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';
import { BURST_S, TokenBuckets } from './token-buckets.js';

/** Maximum time for which a client that continues after refusals gets no response. */
const DEBT_S = 10;
const FREQUENT = 10;
/**
 * The share of a budget for refused requests: a refusal calls a service, or is caused by a scanner. 429 responses have
 * the same share: each of them reads a request, with up to 128 KiB of its body.
 */
const REFUSED_SHARE = 1 / 4;

export type ClientBudget = Exclude<RouteBudget, 'caller'>;

const BUDGETS = ['client', 'client-frequent', 'client-hooks'] as const satisfies readonly ClientBudget[];

/** The remaining budget of clients. */
interface Balance {
  /** Below zero, requests get 429, and each of them also spends tokens. */
  readonly requests: TokenBuckets;
  /** Requests that got an error. */
  readonly refused: TokenBuckets;
  /** Cost of an unserved request in `requests`: the same time in every budget. */
  readonly unserved: number;
  /** The level of `requests` at which a client gets no response. */
  readonly blocked: number;
}

export const tooManyRequests = (waitS: number): Problem =>
  new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
    'retry-after': String(Math.max(1, Math.ceil(waitS))),
    connection: 'close',
  });

/** Token buckets of each client for requests without an accepted credential. */
export class ClientBudgets {
  readonly #balances: Readonly<Record<ClientBudget, Balance>>;
  /** 429 responses over all budgets. */
  readonly #answers: TokenBuckets;

  /** @param now a monotonic clock, in milliseconds. */
  constructor(requestsPerSecond: number, now: () => number = () => performance.now()) {
    // Even a slow budget has two, so that a client gets the reason before it is limited.
    const refusals = (perSecond: number) =>
      new TokenBuckets(perSecond * REFUSED_SHARE, Math.max(2, perSecond * BURST_S * REFUSED_SHARE), now);
    const balance = (perSecond: number): Balance => ({
      requests: new TokenBuckets(perSecond, perSecond * BURST_S, now, perSecond * DEBT_S),
      refused: refusals(perSecond),
      unserved: perSecond / requestsPerSecond,
      blocked: -perSecond * BURST_S,
    });
    this.#answers = refusals(requestsPerSecond);
    this.#balances = {
      client: balance(requestsPerSecond),
      'client-frequent': balance(requestsPerSecond * FREQUENT),
      'client-hooks': balance(requestsPerSecond),
    };
  }

  /** Spends one request. @throws a 429 if the budget is used up. */
  spend(budget: ClientBudget, client: string): void {
    const { requests, refused, unserved, blocked } = this.#balances[budget];
    if (refused.level(client) >= 1 && requests.spend(client) === 0) return;
    // A client that continues after a refusal stays refused.
    requests.lower(client, 1);
    requests.take(client, unserved);
    if (this.#answers.spend(client) > 0) requests.lower(client, blocked);
    const waitS = Math.max(requests.secondsUntilOne(client), refused.secondsUntilOne(client));
    throw tooManyRequests(waitS);
  }

  /** Refunds a request whose credential proved valid. */
  refund(budget: ClientBudget, client: string): void {
    this.#balances[budget].requests.refund(client);
  }

  /** Counts a request that got an error. */
  refuse(budget: ClientBudget, client: string): void {
    this.#balances[budget].refused.take(client);
  }

  /** Counts a request without a response: in all budgets that caused it, and in the budget for all requests. */
  drop(client: string): void {
    for (const budget of BUDGETS) {
      if (budget !== 'client' && !this.#isSpent(budget, client)) continue;
      const { requests, unserved } = this.#balances[budget];
      requests.take(client, unserved);
    }
  }

  /** Whether a budget of the client is used up, including its 429 responses. */
  isBlocked(client: string): boolean {
    return BUDGETS.some(budget => this.#isSpent(budget, client));
  }

  #isSpent(budget: ClientBudget, client: string): boolean {
    const { requests, blocked } = this.#balances[budget];
    const level = requests.level(client);
    return level <= blocked || (level < 1 && this.#answers.level(client) < 1);
  }
}
