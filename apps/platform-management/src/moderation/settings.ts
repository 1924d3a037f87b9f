import { integer } from '@postern/service-host/config';

/** What an operator configures about metrics. */
export const metricsSettings = {
  platformMonthlyBandwidthGb: integer()
    .min(1)
    .optional()
    .describe('Traffic in GB after which a web service is suspended for the month; without bound if not set.'),
};
