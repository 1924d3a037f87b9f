import { integer } from '@postern/service-host/config';

/** Settings of platform keys, spread into the service's configuration. */
export const platformKeySettings = {
  platformCallsPerMinute: integer()
    .min(0)
    .default(30)
    .describe('Maximum calls per minute for each platform key, over all replicas; 0 is unlimited.'),
};
