import type { RouteBudget } from '@postern/contracts';
import { Problem } from '../errors/problem.js';

const WINDOW_MS = 10_000;
const WINDOW_S = WINDOW_MS / 1_000;
/** How many times its budget a client may spend, answered with 429, before its requests are not answered and their connections closed. */
const BLOCKED_AT = 2;
const FREQUENT = 10;

type ClientBudget = Exclude<RouteBudget, 'caller'>;

/** Counts the requests without an accepted credential of each client, in windows of ten seconds. */
export class ClientBudgets {
  private readonly limits: Readonly<Record<ClientBudget, number>>;
  private spent: Record<ClientBudget, Map<string, number>> = { client: new Map(), 'client-frequent': new Map() };
  private windowEndsAt = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(
    requestsPerSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    const limit = requestsPerSecond * WINDOW_S;
    this.limits = { client: limit, 'client-frequent': limit * FREQUENT };
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
    return (
      (this.spent.client.get(client) ?? 0) > this.limits.client * BLOCKED_AT ||
      (this.spent['client-frequent'].get(client) ?? 0) > this.limits['client-frequent'] * BLOCKED_AT
    );
  }

  private startWindow(): void {
    const now = this.now();
    if (now < this.windowEndsAt) return;
    this.windowEndsAt = now + WINDOW_MS;
    if (this.spent.client.size > 0) this.spent.client = new Map();
    if (this.spent['client-frequent'].size > 0) this.spent['client-frequent'] = new Map();
  }
}
