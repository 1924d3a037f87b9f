import type { RefusalBody, RequestKey } from '../frames.js';

/** The answer to a request with a key; `replayed` if an earlier request got it first. */
export type KeyedReply = ({ readonly ok: unknown } | { readonly refusal: RefusalBody }) & {
  readonly replayed: boolean;
};

/** Carries out each command with a key once, and repeats its answer. */
export interface KeyedRequests {
  /** Runs `work` unless an earlier request has claimed the key. Rejects with the error of `work`, or a refusal. */
  answer(key: RequestKey, work: () => Promise<unknown>): Promise<KeyedReply>;
}
