import { flag, integer } from '@postern/service-host/config';

/** Settings of accounts, spread into the service's configuration. */
export const accountSettings = {
  sessionIdleMinutes: integer()
    .min(5)
    .max(7 * 24 * 60)
    .default(12 * 60)
    .describe('Minutes without a request after which a session ends; every session ends a week after the login.'),
  requireSecondFactor: flag()
    .default(false)
    .describe('Whether every user needs a second factor: until they have one, a session can only set it up.'),
};
