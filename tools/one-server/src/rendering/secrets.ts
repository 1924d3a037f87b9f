import { NATS_USERS, type NatsUser } from '@postern/contracts';
import type { Configuration } from '../configuration/schema.js';
import { type Service, WITH_DATABASE } from './model.js';

/** A file in /etc/postern/secrets; systemd gives it to the units that use it. */
export type SecretName =
  | 'link-secrets'
  | 'encryption-keys'
  | 'metrics-token'
  | 'sandbox-dkim-key'
  | 'operator-password'
  | 'relay-password'
  | 'relay-url'
  | 's3-access-key-id'
  | 's3-secret-access-key'
  | `database-${(typeof WITH_DATABASE)[number]}`
  | `nats-${NatsUser | 'administrator'}`;

/** The secrets that an installation creates itself. */
export const GENERATED_SECRETS: readonly SecretName[] = [
  'link-secrets',
  'encryption-keys',
  'metrics-token',
  'sandbox-dkim-key',
  'operator-password',
  ...NATS_USERS.map(user => `nats-${user}` as const),
  'nats-administrator',
];

/** Passwords of the roles in PostgreSQL, which containers need: the socket of one server identifies its clients. */
export const DATABASE_SECRETS: readonly SecretName[] = WITH_DATABASE.map(service => `database-${service}` as const);

/** The credentials of the bucket with the backups, which only the administrator knows. */
export const BUCKET_SECRETS: readonly SecretName[] = ['s3-access-key-id', 's3-secret-access-key'];

/** Whether the relay of a provider needs a password, which only the administrator knows. */
export const needsRelayPassword = ({ mail: { send } }: Configuration): boolean => send !== 'direct' && send.user !== '';

const LINKS = { POSTERN_LINK_SECRETS: 'link-secrets' } as const;
const KEYS = { POSTERN_ENCRYPTION_KEYS: 'encryption-keys' } as const;

/** The secret of each setting of a service. */
export const secretsOf = (service: Service, configuration: Configuration): Readonly<Record<string, SecretName>> => {
  if (service === 'load-balancer') return {};
  const ofEvery = { POSTERN_NATS_PASSWORD: `nats-${service}`, POSTERN_METRICS_TOKEN: 'metrics-token' } as const;
  switch (service) {
    case 'api-gateway':
    case 'delivery-tracking':
      return { ...ofEvery, ...LINKS };
    case 'email-send':
      return {
        ...ofEvery,
        ...LINKS,
        ...KEYS,
        POSTERN_SANDBOX_DKIM_KEY: 'sandbox-dkim-key',
        ...(configuration.mail.send === 'direct' ? {} : ({ POSTERN_RELAYS: 'relay-url' } as const)),
      };
    case 'platform-management':
      return { ...ofEvery, ...KEYS, POSTERN_OPERATOR_PASSWORD: 'operator-password' };
    case 'webhook-dispatch':
      return { ...ofEvery, ...KEYS };
    default:
      return ofEvery;
  }
};
