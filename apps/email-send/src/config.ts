import {
  type ConfigOf,
  defineConfig,
  eventSettings,
  flag,
  integer,
  list,
  secret,
  text,
} from '@postern/service-host/config';
import { administrationSettings } from './administration-settings.js';

/** Every setting of email-send; `relayIsFinal` is read from POSTERN_RELAY_IS_FINAL. */
export const config = defineConfig({
  ...administrationSettings,
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
