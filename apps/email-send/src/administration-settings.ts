import { databaseSettings, encryptionKeys, integer, list, text } from '@postern/service-host/config';

const limit = () => integer().min(1);

/** Settings of administration, to be spread into the service's configuration. */
export const administrationSettings = {
  ...databaseSettings,
  spfHost: text().describe('Host that the SPF record of a sending domain has to include.'),
  dnsServers: list()
    .default([])
    .describe('Resolvers for the records of sending domains, comma-separated address[:port]; empty: the system’s.'),
  encryptionKeys: encryptionKeys(),
  sandboxDailyLimit: limit().default(50).describe('Messages of a sandbox service per UTC day.'),
  sandboxPerMinuteLimit: limit().default(60).describe('Messages of a sandbox service per minute.'),
  productionPerMinuteLimit: limit().default(600).describe('Messages of a production service per minute.'),
  productionDailyStart: limit().default(1_000).describe('Daily quota of a service that has just moved to production.'),
  quotaCeiling: limit().default(200_000).describe('Daily quota that good days lead up to and never over.'),
};
