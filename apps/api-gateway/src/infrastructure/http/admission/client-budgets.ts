import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';
import { BURST_S, TokenBuckets } from './token-buckets.js';

/** How long a client that went on while it was refused gets nothing, at most. */
const DEBT_S = 10;
const FREQUENT = 10;
/**
 * The part of a budget that refused requests may spend: a refusal asks a service, or is the work of a scanner. Answers
 * with 429 have as much: each of them reads a request, with up to 128 KiB of its body.
 */
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

export const tooManyRequests = (waitS: number): Problem =>
  new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
    'retry-after': String(Math.max(1, Math.ceil(waitS))),
    connection: 'close',
  });

/** Token buckets for the requests without an accepted credential of each client. */
export class ClientBudgets {
  private readonly balances: Readonly<Record<ClientBudget, Balance>>;
  /** Answers with 429, of all budgets. */
  private readonly answers: TokenBuckets;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(requestsPerSecond: number, now: () => number = () => performance.now()) {
    // A slow budget has two as well, so that a client learns why before it is limited.
    const refusals = (perSecond: number) =>
      new TokenBuckets(perSecond * REFUSED_SHARE, Math.max(2, perSecond * BURST_S * REFUSED_SHARE), now);
    const balance = (perSecond: number): Balance => ({
      requests: new TokenBuckets(perSecond, perSecond * BURST_S, now, perSecond * DEBT_S),
      refused: refusals(perSecond),
      unserved: perSecond / requestsPerSecond,
      blocked: -perSecond * BURST_S,
    });
    this.answers = refusals(requestsPerSecond);
    this.balances = {
      client: balance(requestsPerSecond),
      'client-frequent': balance(requestsPerSecond * FREQUENT),
      'client-hooks': balance(requestsPerSecond),
    };
  }

  /** Spends one request. @throws a 429 if nothing is left. */
  spend(budget: ClientBudget, client: string): void {
    const { requests, refused, unserved, blocked } = this.balances[budget];
    if (refused.level(client) >= 1 && requests.spend(client) === 0) return;
    // A client that continues although it is refused stays refused.
    requests.lower(client, 1);
    requests.take(client, unserved);
    if (this.answers.spend(client) > 0) requests.lower(client, blocked);
    const waitS = Math.max(requests.secondsUntilOne(client), refused.secondsUntilOne(client));
    throw tooManyRequests(waitS);
  }

  /** Gives back what a request has spent whose credential turned out to be valid. */
  refund(budget: ClientBudget, client: string): void {
    this.balances[budget].requests.refund(client);
  }

  /** Counts that a request was answered with an error. */
  refuse(budget: ClientBudget, client: string): void {
    this.balances[budget].refused.take(client);
  }

  /** Counts a request that is not answered at all: in all budgets that are the reason, and in the one for all requests. */
  drop(client: string): void {
    for (const budget of BUDGETS) {
      if (budget !== 'client' && !this.isSpent(budget, client)) continue;
      const { requests, unserved } = this.balances[budget];
      requests.take(client, unserved);
    }
  }

  /** Whether the client has nothing left of a budget, not even an answer with 429. */
  isBlocked(client: string): boolean {
    return BUDGETS.some(budget => this.isSpent(budget, client));
  }

  private isSpent(budget: ClientBudget, client: string): boolean {
    const { requests, blocked } = this.balances[budget];
    const level = requests.level(client);
    return level <= blocked || (level < 1 && this.answers.level(client) < 1);
  }
}
