import { integer } from '@postern/service-host/config';

/** Settings of sessions, spread into the service's configuration. */
export const sessionSettings = {
  sessionIdleMinutes: integer()
    .min(5)
    .max(7 * 24 * 60)
    .default(12 * 60)
    .describe('Minutes without a request after which a session expires; every session expires a week after sign-in.'),
};
