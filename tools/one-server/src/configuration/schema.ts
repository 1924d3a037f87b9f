import { z } from 'zod';

/** Each setting has a message of its own, so that an error names the reason and what to write instead. */
const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const DURATION = /^([1-9]\d{0,4})([hd])$/;
const SMTP_PROTOCOLS = ['smtp:', 'smtps:'];
const ACME_DIRECTORY = 'https://acme-v02.api.letsencrypt.org/directory';

const hostName = (example: string) =>
  z
    .string({ error: `must be a host name, such as ${example}` })
    .transform(name => name.toLowerCase().replace(/\.$/, ''))
    .refine(name => HOST.test(name), `must be a full host name without a scheme, port or path, such as ${example}`);

const emailAddress = (example: string) =>
  z.email({ error: `must be an email address, such as ${example}`, pattern: z.regexes.html5Email });

/** `6h` or `14d`, in hours. */
const hours = (minimum: string, maximum: string) =>
  z
    .string({ error: `must be a duration in hours or days, such as ${minimum}` })
    .regex(DURATION, `must be a duration in hours or days, such as ${minimum}`)
    .transform(hoursOf)
    .refine(
      value => value >= hoursOf(minimum) && value <= hoursOf(maximum),
      `must be between ${minimum} and ${maximum}`,
    );

const days = (minimum: number, maximum: number) =>
  hours(`${minimum}d`, `${maximum}d`)
    .refine(value => value % 24 === 0, 'must be a number of whole days, such as 30d')
    .transform(value => value / 24);

function hoursOf(duration: string): number {
  const [, amount = '0', unit] = DURATION.exec(duration) ?? [];
  return Number(amount) * (unit === 'd' ? 24 : 1);
}

const absolutePath = (example: string) =>
  z
    .string({ error: `must be a path, such as ${example}` })
    .regex(/^\/[\w./-]*[\w-]$/, `must be an absolute path of letters, digits, "-", "_" and ".", such as ${example}`)
    .refine(path => !path.split('/').includes('..'), 'must not contain ".."');

const SEND = 'must be "direct", or the URL of a relay without its password, such as smtps://user@smtp.example.com:465';

/** How mail leaves: by the Postfix of this server, or over a relay whose password is the secret `relay-password`. */
const sending = z.string({ error: SEND }).transform((given, context) => {
  if (given === 'direct') return 'direct' as const;
  const url = URL.parse(given);
  if (!url || !SMTP_PROTOCOLS.includes(url.protocol) || !HOST.test(url.hostname) || !/^\/?$/.test(url.pathname)) {
    context.addIssue(SEND);
    return z.NEVER;
  }
  if (url.password !== '') {
    context.addIssue('must not contain the password: remove it, and run "postern secret set relay-password"');
    return z.NEVER;
  }
  if (url.search !== '' || url.hash !== '') {
    context.addIssue(SEND);
    return z.NEVER;
  }
  const port = url.port === '' ? (url.protocol === 'smtps:' ? 465 : 587) : Number(url.port);
  return { protocol: url.protocol.slice(0, -1), user: url.username, host: url.hostname, port };
});

const acmeAccount = z
  .union(
    [
      emailAddress('ops@example.com').transform(email => ({ email, directory: ACME_DIRECTORY, trust: undefined })),
      z.strictObject({
        email: emailAddress('ops@example.com'),
        directory: z
          .url({ protocol: /^https$/, error: `must be an https URL, such as ${ACME_DIRECTORY}` })
          .default(ACME_DIRECTORY),
        trust: absolutePath('/etc/ssl/private-ca.crt').optional(),
      }),
    ],
    { error: 'must be an email address, or a block with email, directory and trust' },
  )
  .describe('Account for certificates of Let’s Encrypt, or of another authority with ACME.');

/** The folder of backups unless another one is configured; also of those that are copied from a bucket. */
export const BACKUP_FOLDER = '/var/backups/postern';
/** `s3://bucket/prefix`, with the names that every S3 storage accepts. */
export const bucketOf = (url: string): { readonly bucket: string; readonly prefix: string } | undefined => {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/.exec(url) ?? [];
  if (bucket === undefined || prefix.split('/').some(part => part === '.' || part === '..')) return undefined;
  return { bucket, prefix: prefix.slice(1) };
};

/** Backups are in a folder of this server, and with `s3://` also in a bucket. */
const backups = z
  .strictObject(
    {
      to: z
        .string({ error: `must be a folder, such as ${BACKUP_FOLDER}, or a bucket, such as s3://bucket/prefix` })
        .superRefine((to, context) => {
          if (!to.startsWith('s3://'))
            for (const { message } of absolutePath(BACKUP_FOLDER).safeParse(to).error?.issues ?? [])
              context.addIssue(message);
          else if (!bucketOf(to))
            context.addIssue('must be a bucket and optionally a prefix, such as s3://bucket/prefix');
        })
        .default(BACKUP_FOLDER),
      endpoint: z
        .url({ protocol: /^https?$/, error: 'must be the URL of an S3 storage, such as https://s3.example.com' })
        .optional()
        .describe('S3 storage with the bucket; without it, that of Amazon.'),
      region: z
        .string({ error: 'must be the name of a region, such as eu-central-1' })
        .regex(/^[\w-]{1,64}$/, 'must be the name of a region, such as eu-central-1')
        .default('us-east-1'),
      every: hours('1h', '7d').default(6),
      keep: z
        .int({ error: 'must be a whole number from 2 to 1000: how many backups are kept' })
        .min(2, 'must be at least 2: a new backup replaces the oldest one')
        .max(1000, 'must be at most 1000')
        .default(14),
    },
    { error: 'must be a block with to, endpoint, region, every and keep' },
  )
  .superRefine(({ to, endpoint }, context) => {
    if (endpoint !== undefined && !to.startsWith('s3://'))
      context.addIssue({
        code: 'custom',
        path: ['endpoint'],
        message: 'is for a bucket only: set "to" to s3://bucket/prefix',
      });
  })
  .transform(({ to, endpoint, region, every, keep }) => {
    const bucket = bucketOf(to);
    return { to: bucket ? BACKUP_FOLDER : to, every, keep, s3: bucket && { ...bucket, endpoint, region } };
  })
  .prefault({})
  .describe('Backups of this server.');

const advanced = z
  .record(
    z.string(),
    z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], { error: 'must be a text, a number, true or false' }),
      { error: 'must be a block of settings, such as POSTERN_LOG_LEVEL: debug' },
    ),
    { error: 'must be a block with the name of a service for each block of settings' },
  )
  .default({});

/** The settings of an installation on one server, `/etc/postern/config.yaml`. */
export const configurationSchema = z.strictObject(
  {
    host: hostName('postern.example.com').describe('Host name of the gateway and the dashboard.'),
    apps: hostName('apps.example.com')
      .optional()
      .describe('Parent domain of web services; without it, no web services run on this server.'),
    mail: z
      .strictObject(
        {
          domain: hostName('mail.example.com').describe('Domain below which the names of mail are.'),
          send: sending.default('direct').describe('How mail leaves this server.'),
        },
        { error: 'must be a block with domain and send' },
      )
      .describe('Mail.'),
    acme: acmeAccount,
    operator: emailAddress('owner@example.com').describe(
      'First administrator, who also gets notices about the server.',
    ),
    backup: backups,
    retention: z
      .strictObject(
        {
          // Reports about a message can arrive for 35 days.
          messages: days(36, 3650).default(90),
          bodies: days(1, 365).default(7),
          deliveries: days(15, 365).default(30),
          notices: days(1, 365).default(90),
        },
        { error: 'must be a block with messages, bodies, deliveries and notices' },
      )
      .prefault({})
      .describe('How long data that is no longer needed is stored.'),
    check: z
      .strictObject(
        {
          ping: z
            .url({ protocol: /^https?$/, error: 'must be a URL, such as https://hc-ping.com/<id>' })
            .refine(url => !/[?#]/.test(url), 'must have no query, because "/fail" is added to it after a failure')
            .optional()
            .describe('URL that is requested after each hourly check; if something failed, with "/fail" after it.'),
        },
        { error: 'must be a block with ping' },
      )
      .prefault({})
      .describe('The hourly check.'),
    databases: z
      .strictObject(
        {
          external_host: hostName('db.example.com')
            .optional()
            .describe(
              'Host name of this server for databases that their owners open to networks outside; without it, none can be opened.',
            ),
        },
        { error: 'must be a block with external_host' },
      )
      .prefault({})
      .describe('Databases of web services.'),
    firewall: z
      .boolean({ error: 'must be true or false' })
      .default(true)
      .describe('Whether Postern refuses connections to all ports but its own and SSH.'),
    advanced: advanced.describe('Environment variables of single services.'),
  },
  { error: 'must be a block of settings that begins with "host: postern.example.com"' },
);

export type Configuration = z.output<typeof configurationSchema>;
export type Bucket = NonNullable<Configuration['backup']['s3']>;
export type Relay = Exclude<Configuration['mail']['send'], 'direct'>;
