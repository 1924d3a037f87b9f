import type { RequestOptions } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../access/caller.js';
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
): Promise<Answer> => {
  const key = requestKeyOf(request, callerOf(request));
  try {
    return await send(key ? { key, onReplayed: () => markReplayed(reply) } : {});
  } catch (error) {
    throw isUnknownOutcome(error) ? new CommandOutcomeUnknown(error, key !== undefined) : error;
  }
};
