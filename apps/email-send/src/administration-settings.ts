import { databaseSettings, integer, list, text } from '@postern/service-host';
import { z } from 'zod';

const encryptionKeys = () =>
  z.string().transform((value, context) =>
    value.split(',').map(entry => {
      const at = entry.indexOf(':');
      const key = Buffer.from(entry.slice(at + 1).trim(), 'base64');
      if (at < 1 || key.length !== 32) {
        context.addIssue({ code: 'custom', message: 'each key must be <id>:<32 bytes in base64>' });
      }
      return { id: entry.slice(0, at).trim(), key };
    }),
  );

const limit = () => integer().min(1);

/** Settings of administration, to be spread into the service's configuration. */
export const administrationSettings = {
  ...databaseSettings,
  spfHost: text().describe('Host that the SPF record of a sending domain has to include.'),
  dnsServers: list()
    .default([])
    .describe('Resolvers for the records of sending domains, comma-separated address[:port]; empty: the system’s.'),
  encryptionKeys: encryptionKeys().describe(
    'Keys for secrets at rest, comma-separated <id>:<32 bytes in base64>; the first one encrypts, all decrypt.',
  ),
  sandboxDailyLimit: limit().default(50).describe('Messages of a sandbox service per UTC day.'),
  sandboxPerMinuteLimit: limit().default(60).describe('Messages of a sandbox service per minute.'),
  productionPerMinuteLimit: limit().default(600).describe('Messages of a production service per minute.'),
  productionDailyStart: limit().default(1_000).describe('Daily quota of a service that has just moved to production.'),
  quotaCeiling: limit().default(200_000).describe('Daily quota that good days lead up to and never over.'),
};
