import { encryptionKeys, integer } from '@postern/service-host/config';

/** Settings of platform keys and of values at rest, to be spread into the service's configuration. */
export const resourcesSettings = {
  encryptionKeys: encryptionKeys(),
  platformCallsPerMinute: integer()
    .min(0)
    .default(30)
    .describe('Calls a minute that each key of the platform API may make, over all replicas; 0 lifts the limit.'),
};
