import { hash } from 'node:crypto';
import { findDeployHook, Refusal } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../service-client/ports.js';
import { ReplyCache } from '../admission/reply-cache.js';
import { TokenBuckets } from '../admission/token-buckets.js';
import { Problem } from '../errors/problem.js';
import { requestContextOf } from '../server/request-context.js';
import { type CalledHook, setCalledHook } from './called-hook.js';

const TOKEN = /^dh_live_[\w-]{43}$/;
/** Calls of one hook, including refused ones; platform-management accepts 30 per minute. */
const CALLS_PER_SECOND = 1;
const CALLS_AT_ONCE = 60;

/** The reply of platform-management about a token. */
type Found = CalledHook | 'unknown';

/** Admits calls of deploy hooks by the token in the URL, and limits the calls of each hook. */
export class DeployHookAdmission {
  readonly #found = new ReplyCache<Found>({
    subject: findDeployHook.subject,
    keptMs: 10_000,
    maxEntries: 10_000,
    maxPending: 100,
  });
  readonly #calls = new TokenBuckets(CALLS_PER_SECOND, CALLS_AT_ONCE);

  constructor(private readonly services: ServiceClient) {}

  /** Rejects with 404 for an unknown token, and with 429 for a hook that is called too often. */
  async admit(request: FastifyRequest): Promise<void> {
    const { token } = request.params as { readonly token: string };
    if (!TOKEN.test(token)) throw notFound();
    const tokenHash = hash('sha256', token, 'hex');
    const hook = await this.#found.get(tokenHash, () => this.#find(tokenHash, request));
    if (hook === 'unknown') throw notFound();
    const waitS = this.#calls.spend(hook.id);
    if (waitS > 0) {
      const retry = { 'retry-after': String(Math.ceil(waitS)) };
      throw new Problem(429, 'Too many calls of this deploy hook. Try again later.', retry);
    }
    setCalledHook(request, hook);
  }

  async #find(tokenHash: string, request: FastifyRequest): Promise<Found> {
    const context = requestContextOf(request);
    try {
      return await this.services.request(findDeployHook, { token_hash: tokenHash }, context);
    } catch (error) {
      if (Refusal.is(error) && error.code === 'deploy_hook_not_found') return 'unknown';
      throw error;
    }
  }
}

const notFound = (): Refusal => new Refusal('deploy_hook_not_found', 'there is no such deploy hook');
