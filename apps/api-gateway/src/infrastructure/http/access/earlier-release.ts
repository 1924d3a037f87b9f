import { authenticateSession, Refusal } from '@postern/contracts';
import { type RequestContext, ServiceUnavailable } from '@postern/messaging';
import type { ServiceClient } from '../../../service-client/ports.js';

const NO_SESSION = { token_hash: '0'.repeat(64) };

/**
 * Whether platform-management responds, but does not support the request that failed with `error`, because its release
 * is older. Services are upgraded in any order.
 */
export const isOfEarlierRelease = async (
  services: ServiceClient,
  error: unknown,
  context: RequestContext,
): Promise<boolean> => {
  if (!(error instanceof ServiceUnavailable) || error.maybeExecuted) return false;
  return services.request(authenticateSession, NO_SESSION, context).then(
    () => false,
    (answer: unknown) => Refusal.is(answer) && answer.code === 'session_invalid',
  );
};
