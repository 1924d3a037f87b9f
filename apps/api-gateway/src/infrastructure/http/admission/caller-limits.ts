import { Problem } from '../errors/problem.js';
import { TokenBuckets } from './token-buckets.js';

export interface CallerLimitOptions {
  /** Requests per second of each user; bursts of twice as many are allowed. */
  readonly perCaller: number;
  /** Requests per second of all sessions in a workspace. */
  readonly perWorkspace: number;
  /** Maximum number of open requests of each user. */
  readonly atOnce: number;
}

const MAX_KNOWN = 10_000;

/**
 * Limits of signed-in users in this gateway, over all sessions of a user. The user of a previously accepted session is
 * cached, so that requests are refused without calling a service. platform-management counts calls with platform keys.
 */
export class CallerLimits {
  readonly #callers: TokenBuckets;
  readonly #workspaces: TokenBuckets;
  readonly #open = new Map<string, number>();
  readonly #known = new Map<string, string>();

  constructor(private readonly options: CallerLimitOptions) {
    this.#callers = new TokenBuckets(options.perCaller);
    this.#workspaces = new TokenBuckets(options.perWorkspace);
  }

  /** The last caller with this credential. */
  callerOf(credentialHash: string): string | undefined {
    return this.#known.get(credentialHash);
  }

  remember(credentialHash: string, caller: string): void {
    this.#known.delete(credentialHash);
    this.#known.set(credentialHash, caller);
    if (this.#known.size <= MAX_KNOWN) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** Counts a request of a caller. @throws a 429 beyond the caller's rate. */
  spend(caller: string): void {
    const waitS = this.#callers.spend(caller);
    if (waitS > 0) throw tooMany(`More than ${this.options.perCaller} requests per second from one user.`, waitS);
  }

  /** Counts a request of a session in a workspace. @throws a 429 beyond the rate of the workspace. */
  spendOfWorkspace(workspaceId: string): void {
    const waitS = this.#workspaces.spend(workspaceId);
    if (waitS > 0) {
      throw tooMany(`More than ${this.options.perWorkspace} requests per second in one workspace.`, waitS);
    }
  }

  /** Counts a request until `leave`. @throws a 429 if the caller has too many open requests. */
  enter(caller: string): void {
    const open = this.#open.get(caller) ?? 0;
    if (open >= this.options.atOnce) throw tooMany(`More than ${this.options.atOnce} requests at once.`, 1);
    this.#open.set(caller, open + 1);
  }

  leave(caller: string): void {
    const left = (this.#open.get(caller) ?? 1) - 1;
    if (left > 0) this.#open.set(caller, left);
    else this.#open.delete(caller);
  }
}

const tooMany = (reason: string, waitS: number): Problem =>
  new Problem(429, `${reason} Try again later.`, { 'retry-after': String(Math.ceil(waitS)) });
