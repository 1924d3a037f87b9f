import { PRIVATE_SUFFIXES_DESCRIPTION } from '@postern/outbound';
import {
  type ConfigOf,
  databaseSettings,
  defineConfig,
  encryptionKeys,
  eventSettings,
  flag,
  integer,
  list,
  secret,
  text,
} from '@postern/service-host/config';

const limit = () => integer().min(1);

/** Every setting of email-send; `relayIsFinal` is read from POSTERN_RELAY_IS_FINAL. */
export const config = defineConfig({
  ...databaseSettings,
  spfHost: text().describe('Host that the SPF record of a sending domain has to include.'),
  dnsServers: list()
    .default([])
    .describe('Resolvers for the records of sending domains, comma-separated address[:port]; empty: the system’s.'),
  privateDomainSuffixes: list().default([]).describe(PRIVATE_SUFFIXES_DESCRIPTION),
  encryptionKeys: encryptionKeys(),
  sandboxDailyLimit: limit().default(50).describe('Messages of a sandbox service per UTC day.'),
  sandboxPerMinuteLimit: limit().default(60).describe('Messages of a sandbox service per minute.'),
  productionPerMinuteLimit: limit().default(600).describe('Messages of a production service per minute.'),
  productionDailyStart: limit().default(1_000).describe('Daily quota of a service that has just moved to production.'),
  quotaCeiling: limit().default(200_000).describe('Daily quota that good days lead up to and never over.'),
  codesPerWorkspaceHour: limit().default(20).describe('Verification codes that a workspace may mail per hour.'),
  codesPerWorkspaceDay: limit().default(60).describe('Verification codes that a workspace may mail per UTC day.'),
  codesPerMailboxHour: limit()
    .default(5)
    .describe('Verification codes that are mailed to one mailbox per hour, over all services.'),
  codesPerMailboxDay: limit()
    .default(10)
    .describe('Verification codes that are mailed to one mailbox per UTC day, over all services.'),
  ...eventSettings,
  publicUrl: text().describe('Base URL of the gateway as recipients reach it; pixels and tracked links begin with it.'),
  linkSecrets: list().describe('Secrets of tracking tokens, comma-separated, 32 bytes each; the first one signs.'),
  bounceDomain: text().describe('Domain whose mail reaches delivery-tracking; return paths are addresses there.'),
  sandboxDomain: text().describe('Domain of the shared sandbox sender and of the mail that Postern itself sends.'),
  sandboxDkimSelector: text().default('postern').describe('DKIM selector of the sandbox domain.'),
  sandboxDkimKey: secret().optional().describe('DKIM key of the sandbox domain, a PEM in base64; unsigned without it.'),
  relays: secret().describe(
    'Upstream relays in order of preference, comma-separated: smtp://user:password@host:587 (STARTTLS, required), ' +
      'smtps://host:465, smtp://host:25?tls=none. Further options: connections, name.',
  ),
  relayIsFinal: flag().default(false).describe('The relays deliver themselves, so that their 250 is delivery.'),
  simulatorDomain: text().optional().describe('Domain of the mail simulator; outside quota and statistics.'),
  bodyRetentionDays: integer().min(1).default(7).describe('How long the bodies of final messages are kept.'),
});

export type EmailSendConfig = ConfigOf<typeof config>;
