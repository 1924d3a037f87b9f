import type { ServiceSettings } from '../configuration/read-configuration.js';
import type { Images } from '../rendering/compose.js';
import { type Machine, SERVICES } from '../rendering/model.js';

/** The configuration of docs/install.md. */
export const EXAMPLE = `host: postern.example.com
apps: apps.example.com
mail:
  domain: mail.example.com
  send: direct
acme: ops@example.com
operator: owner@example.com
`;

export const MACHINE: Machine = {
  postgresBin: '/usr/lib/postgresql/15/bin',
  memoryMib: 4096,
  ipv6: false,
  sshPorts: [22],
};

/** Images of a set of releases. */
export const IMAGES: Images = Object.fromEntries(
  SERVICES.map(service => [service, `registry.example.com/postern/${service}:0.2.0@sha256:${'0'.repeat(64)}`]),
);

/** Some settings, as the bundle describes them. */
export const SETTINGS: ServiceSettings = {
  'email-send': {
    POSTERN_LOG_LEVEL: { type: 'string', enum: ['debug', 'info', 'warn', 'error', 'silent'] },
    POSTERN_SANDBOX_DAILY_LIMIT: { type: 'integer', minimum: 1 },
    POSTERN_RELAY_IS_FINAL: { type: 'boolean' },
    POSTERN_BOUNCE_DOMAIN: { type: 'string' },
    POSTERN_COMPLAINT_SENDERS: {},
  },
  'api-gateway': { POSTERN_LOG_LEVEL: { type: 'string' } },
};
