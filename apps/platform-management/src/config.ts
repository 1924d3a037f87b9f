import { type ConfigOf, databaseSettings, defineConfig, secret, text } from '@postern/service-host/config';
import { auditLogSettings } from './accounts/audit-log/settings.js';
import { secondFactorSettings } from './accounts/second-factors/settings.js';
import { sessionSettings } from './accounts/sessions/settings.js';
import { canonicalAddress } from './accounts/users/email-address.js';
import { backupsSettings } from './infrastructure/backups/settings.js';
import { encryptionSettings } from './infrastructure/encryption/settings.js';
import { outboundSettings } from './infrastructure/outbound/settings.js';
import { platformKeySettings } from './platform-keys/settings.js';
import { requestLogSettings } from './request-log/settings.js';
import { systemSettings } from './system/settings.js';
import { commitStatusSettings } from './web-services/commit-statuses/settings.js';
import { moderationSettings } from './web-services/moderation/settings.js';
import { webServiceSettings } from './web-services/services/settings.js';

/** All settings of platform-management. */
export const config = defineConfig({
  ...databaseSettings,
  ...encryptionSettings,
  ...sessionSettings,
  ...secondFactorSettings,
  ...platformKeySettings,
  ...webServiceSettings,
  ...commitStatusSettings,
  ...moderationSettings,
  ...auditLogSettings,
  ...backupsSettings,
  ...requestLogSettings,
  ...outboundSettings,
  ...systemSettings,
  operatorEmail: text()
    .refine(email => canonicalAddress(email) !== undefined, 'must be a valid email address')
    .optional()
    .describe('Email address of the first operator, who is created at startup if there is none.'),
  operatorPassword: secret()
    .refine(password => password.reveal().length >= 12, 'must have at least 12 characters')
    .optional()
    .describe('Password of the first operator; change it after the first sign-in.'),
});

export type PlatformManagementConfig = ConfigOf<typeof config>;

/** Returns the configured first operator, or undefined if there is none. @throws if only one of its two settings is set. */
export const firstOperatorOf = ({ operatorEmail, operatorPassword }: PlatformManagementConfig) => {
  if (!operatorEmail && !operatorPassword) return undefined;
  if (!operatorEmail || !operatorPassword)
    throw new Error('POSTERN_OPERATOR_EMAIL and POSTERN_OPERATOR_PASSWORD go together; one of them is missing');
  return { email: operatorEmail, password: operatorPassword.reveal() };
};
