import type { RequestKey, RequestOptions } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../access/caller.js';
import { CommandOutcomeUnknown, isUnknownOutcome } from '../errors/command-outcome-unknown.js';
import { markReplayed, requestKeyOf } from './request-key.js';

type Repetition = Pick<RequestOptions, 'key' | 'onReplayed'>;

/**
 * Sends a command with the `Idempotency-Key` of its client, so that its service carries it out once.
 * @throws CommandOutcomeUnknown if it may have been carried out.
 */
export const repeatable = async <Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  send: (repetition: Repetition) => Promise<Answer>,
): Promise<Answer> => repeatableWith(requestKeyOf(request, nameOf(callerOf(request))), reply, send);

/** Same for a caller that is no user; undefined if the client sent no key. */
export const repeatableWith = async <Answer>(
  key: RequestKey | undefined,
  reply: FastifyReply,
  send: (repetition: Repetition) => Promise<Answer>,
): Promise<Answer> => {
  try {
    return await send(key ? { key, onReplayed: () => markReplayed(reply) } : {});
  } catch (error) {
    throw isUnknownOutcome(error) ? new CommandOutcomeUnknown(error, key !== undefined) : error;
  }
};

const nameOf = ({ userId, workspaceId, platformKey }: Caller): string =>
  `${workspaceId} ${platformKey ? `key ${platformKey.id}` : `user ${userId}`}`;
