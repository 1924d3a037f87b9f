import { authenticateSession, Refusal } from '@postern/contracts';
import type { ServiceClient } from '../../service-client/ports.js';
import type { Session } from './session.js';

const ENDED = 'the session has ended';

/**
 * The reason to end a response that has no end by itself, if the session is invalid or its workspace has changed; undefined while it is
 * valid, and while this cannot be checked.
 */
export const endOfSession = async (services: ServiceClient, session: Session): Promise<string | undefined> => {
  try {
    const now = await services.request(authenticateSession, { token_hash: session.tokenHash }, session);
    return now.workspace_id === session.workspaceId ? undefined : ENDED;
  } catch (error) {
    return Refusal.is(error) ? ENDED : undefined;
  }
};
