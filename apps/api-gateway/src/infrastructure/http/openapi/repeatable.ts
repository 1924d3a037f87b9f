import { idempotencyKey } from '@postern/contracts';
import type { RequestHeader, ResponseHeader } from './describe.js';

/** The header that makes a repetition safe, and the one that marks a repeated answer. */
export const REPEATABLE_HEADERS: Readonly<Record<string, RequestHeader>> = {
  'Idempotency-Key': {
    required: false,
    description:
      'Makes a repetition safe: the first answer is repeated for 24 hours, and nothing is done twice. 1 to 255 characters; ' +
      'each caller has its own keys. Another request with the same key gets 409.',
    schema: idempotencyKey,
  },
};

export const REPLAYED_HEADER: Readonly<Record<string, ResponseHeader>> = {
  'Idempotent-Replayed': '`true` if this repeats the answer to an earlier request; nothing was done again.',
};

export const OUTCOME_UNKNOWN =
  '`outcome_unknown`: the request may have been carried out. Repeat it with the same `Idempotency-Key`, which never carries ' +
  'it out twice; without a key, look first. Every other 503 means that nothing was done.';
