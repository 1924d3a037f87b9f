import { integer } from '@postern/service-host/config';

/** Settings of the audit log, spread into the service's configuration. */
export const auditLogSettings = {
  auditLogDays: integer()
    .min(1)
    .max(3_650)
    .default(400)
    .describe('Days after which entries of the audit log are deleted.'),
};
