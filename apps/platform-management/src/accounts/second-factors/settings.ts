import { flag } from '@postern/service-host/config';

/** Settings of second factors, spread into the service's configuration. */
export const secondFactorSettings = {
  requireSecondFactor: flag()
    .default(false)
    .describe('Requires two-factor authentication for every user; until it is set up, a session can do nothing else.'),
};
