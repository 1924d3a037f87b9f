import { integer } from '@postern/service-host/config';

/** Settings of moderation, spread into the service's configuration. */
export const moderationSettings = {
  platformMonthlyBandwidthGb: integer()
    .min(1)
    .optional()
    .describe('Traffic in GB after which a web service is suspended for the rest of the month; unlimited if not set.'),
};
