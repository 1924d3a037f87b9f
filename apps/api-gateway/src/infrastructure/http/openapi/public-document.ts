/** The introduction of the public API in its OpenAPI document. */
export const PUBLIC_DESCRIPTION = `Send transactional email, and deploy web services.

**Base URL.** All paths are relative to the URL of your Postern installation.

**Authentication.** The email API takes the key of an email service in the header \`Api-Key\` (\`em_live_…\`). The platform
API, below \`/api/v1\`, takes a platform key as \`Authorization: Bearer\` (\`ak_live_…\`). Create both in the dashboard.

**Errors.** The email API answers an error with \`{"error": "…"}\`, the platform API with \`{"detail": "…"}\`.

**Retries.** Retry only 429 and 5xx: after 1, 2, 4 and 8 seconds with jitter, at most 4 attempts, and not before
\`Retry-After\`. Other errors do not change when you repeat the request.

**Limits.** Responses have the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`.

**Webhooks.** Postern reports what happens to a message to the webhooks of its email service. Each call is signed.`;

const TAGS: Readonly<Record<string, string>> = {
  Emails: 'Send messages and get their records.',
  'Scheduled emails': 'Messages that are sent at a later time.',
  'Webhook listeners': 'Events of an email service, for a program that no webhook can reach.',
  'Own key': 'What the calling platform key may do.',
  Projects: 'Projects group web services and their secrets.',
  'Project secrets': 'Values that the web services of a project share, for each environment.',
  'Web services': 'Web services, and starting, restarting and stopping them.',
  Deployments: 'Builds and releases of web services.',
  'Deploy hooks': 'URLs that deploy a web service.',
  Environment: 'Environment variables of a web service.',
  'Secret files': 'Files that instances and commands of a web service can read.',
  Runs: 'Commands that run once with the live release.',
  'Cron jobs': 'Commands that run on a schedule.',
  'Log drains': 'Sending the log of a web service to another system.',
  'Custom domains': 'Host names of your own.',
  'Deploy keys': 'SSH keys for private repositories.',
  'Git tokens': 'Access tokens for private repositories.',
  'Registry credentials': 'Credentials for the registries of private images.',
  'Logs and metrics': 'Log lines, and CPU and memory usage.',
  'Disk backups': 'Backups of the disks of web services, and their restoration.',
  Databases: 'Relational databases and key-value stores.',
  'Database attachments': 'Web services that get the connection URL of a database.',
  'Database backups': 'Backups of databases, and their restoration.',
  'Database extensions': 'Extensions of PostgreSQL, such as PostGIS and pgvector.',
  Webhooks: 'Calls that Postern makes to your webhooks.',
};

/** The used tags with their descriptions. */
export const describedTags = (used: ReadonlySet<string>): object[] =>
  Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));

export const PUBLIC_SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Api-Key',
    description: 'A key of an email service, `em_live_…`.',
  },
  platformKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A platform key, `ak_live_…`. The scope `read` allows GET; `write` allows everything.',
  },
};
