import { integer } from '@postern/service-host/config';

/** Settings of the log of requests, spread into the service's configuration. */
export const requestLogSettings = {
  requestLogDays: integer()
    .min(1)
    .max(365)
    .default(7)
    .describe('Days that the requests of platform keys are stored for their users, with bodies without secret values.'),
};
