import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';

const WINDOW_MS = 10_000;
const WINDOW_S = WINDOW_MS / 1_000;
/** How many times its budget a client may spend, answered with 429, before its requests are not answered and their connections closed. */
const BLOCKED_AT = 2;
const FREQUENT = 10;

type ClientBudget = Exclude<RouteBudget, 'caller'>;

const BUDGETS = ['client', 'client-frequent', 'client-hooks'] as const satisfies readonly ClientBudget[];

/** Counts the requests without an accepted credential of each client, in windows of ten seconds. */
export class ClientBudgets {
  private readonly limits: Readonly<Record<ClientBudget, number>>;
  private readonly spent: Record<ClientBudget, Map<string, number>> = {
    client: new Map(),
    'client-frequent': new Map(),
    'client-hooks': new Map(),
  };
  private windowEndsAt = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    requestsPerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    const limit = requestsPerSecond * WINDOW_S;
    this.limits = { client: limit, 'client-frequent': limit * FREQUENT, 'client-hooks': limit };
  }

  /** Spends one request. @throws a 429 if the budget of the window is spent. */
  spend(budget: ClientBudget, client: string): void {
    this.startWindow();
    const spent = (this.spent[budget].get(client) ?? 0) + 1;
    this.spent[budget].set(client, spent);
    if (spent <= this.limits[budget]) return;
    const retryAfterS = Math.max(1, Math.ceil((this.windowEndsAt - this.now()) / 1_000));
    throw new Problem(429, 'Too many requests without a valid credential from this address. Try again later.', {
      'retry-after': String(retryAfterS),
      connection: 'close',
    });
  }

  /** Gives back what a request has spent whose credential turned out to be valid. */
  refund(budget: ClientBudget, client: string): void {
    const spent = this.spent[budget].get(client);
    if (spent !== undefined && spent > 0) this.spent[budget].set(client, spent - 1);
  }

  /** Whether the client continued so long after its first 429 that answers cost too much until the window ends. */
  isBlocked(client: string): boolean {
    this.startWindow();
    return BUDGETS.some(budget => (this.spent[budget].get(client) ?? 0) > this.limits[budget] * BLOCKED_AT);
  }

  private startWindow(): void {
    const now = this.now();
    if (now < this.windowEndsAt) return;
    this.windowEndsAt = now + WINDOW_MS;
    for (const budget of BUDGETS) if (this.spent[budget].size > 0) this.spent[budget] = new Map();
  }
}
