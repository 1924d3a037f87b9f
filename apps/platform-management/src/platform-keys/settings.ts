import { integer } from '@postern/service-host/config';

/** Settings of platform keys, spread into the service's configuration. */
export const platformKeySettings = {
  platformCallsPerMinute: integer()
    .min(0)
    .default(30)
    .describe('Calls a minute that each key of the platform API may make, over all replicas; 0 lifts the limit.'),
};
