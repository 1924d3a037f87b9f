import { flag, integer } from '@postern/service-host/config';

/** Settings of accounts, spread into the service's configuration. */
export const accountSettings = {
  sessionIdleMinutes: integer()
    .min(5)
    .max(7 * 24 * 60)
    .default(12 * 60)
    .describe('Minutes without a request after which a session expires; every session expires a week after sign-in.'),
  requireSecondFactor: flag()
    .default(false)
    .describe('Requires a second factor from every user; until it is set up, a session can do nothing else.'),
};
