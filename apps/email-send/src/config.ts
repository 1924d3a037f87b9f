import { PRIVATE_SUFFIXES_DESCRIPTION } from '@postern/outbound';
import {
  type ConfigOf,
  databaseSettings,
  defineConfig,
  encryptionKeys,
  flag,
  integer,
  list,
  messageRetentionDays,
  secret,
  text,
} from '@postern/service-host/config';

const limit = () => integer().min(1);

/** Every setting of email-send; `relayIsFinal` is read from POSTERN_RELAY_IS_FINAL. */
export const config = defineConfig({
  ...databaseSettings,
  spfHost: text().describe('Host that the SPF record of a sending domain must include.'),
  dnsServers: list()
    .default([])
    .describe('Resolvers for the records of sending domains, comma-separated address[:port]; empty: the system’s.'),
  privateDomainSuffixes: list().default([]).describe(PRIVATE_SUFFIXES_DESCRIPTION),
  encryptionKeys: encryptionKeys(),
  sandboxDailyLimit: limit()
    .default(50)
    .describe(
      'Maximum messages of a sandbox service per UTC day, and of a production service through the shared sender to recipients that are not verified.',
    ),
  sandboxPerMinuteLimit: limit().default(60).describe('Maximum messages of a sandbox service per minute.'),
  productionPerMinuteLimit: limit().default(600).describe('Maximum messages of a production service per minute.'),
  productionDailyStart: limit().default(1_000).describe('Daily quota of a service that has just moved to production.'),
  quotaCeiling: limit()
    .default(200_000)
    .describe(
      'Upper limit of the daily quota, which rises automatically for services with few bounces and complaints.',
    ),
  codesPerWorkspaceHour: limit().default(20).describe('Maximum verification codes per workspace and hour.'),
  codesPerWorkspaceDay: limit().default(60).describe('Maximum verification codes per workspace and UTC day.'),
  codesPerMailboxHour: limit()
    .default(5)
    .describe('Maximum verification codes per mailbox and hour, over all services.'),
  codesPerMailboxDay: limit()
    .default(10)
    .describe('Maximum verification codes per mailbox and UTC day, over all services.'),
  publicUrl: text().describe(
    'Base URL of the gateway for recipients; the prefix of tracking pixels and tracked links.',
  ),
  trackingHost: text()
    .optional()
    .describe(
      'Host name that tracking hosts of sending domains are aliases of; the host of POSTERN_PUBLIC_URL unless set.',
    ),
  linkSecrets: list().describe('Secrets of tracking tokens, comma-separated, 32 bytes each; the first one signs.'),
  bounceDomain: text().describe('Domain of the return paths; its mail must reach delivery-tracking.'),
  sandboxDomain: text().describe('Domain of the shared sandbox sender and of mail from Postern itself.'),
  sandboxDkimSelector: text().default('postern').describe('DKIM selector of the sandbox domain.'),
  sandboxDkimKey: secret()
    .optional()
    .describe('DKIM key of the sandbox domain, a base64-encoded PEM; without it, mail from this domain is not signed.'),
  relays: secret().describe(
    'Upstream relays in order of preference, comma-separated: smtp://user:password@host:587 (STARTTLS, required), ' +
      'smtps://host:465, smtp://host:25?tls=none. Further options: connections, name.',
  ),
  relayIsFinal: flag()
    .default(false)
    .describe('The relays deliver directly to the recipient’s server, so their 250 counts as delivered.'),
  simulatorDomain: text()
    .optional()
    .describe('Domain of the mail simulator; its messages do not count toward quotas and statistics.'),
  bodyRetentionDays: integer()
    .min(1)
    .default(7)
    .describe('Days that the body of a message is stored after the message reaches a final state.'),
  messageRetentionDays: messageRetentionDays(),
  requestLogDays: integer()
    .min(1)
    .max(365)
    .default(7)
    .describe('Days that the requests of the email API are stored for their senders, without contents of messages.'),
});

export type EmailSendConfig = ConfigOf<typeof config>;
