import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id } from '../shapes.js';
import { DATABASE, EXTERNAL_ACCESS } from './examples.js';

const request = requestsOf('platform-management');

const MOST_NETWORKS = 50;

/** An IPv4 network without bits of a host. An address alone is read as a network of one address. */
const allowedCidr = z
  .string()
  .max(64)
  .transform((given, context) => {
    const problem = (reason: string) => {
      context.addIssue(reason);
      return z.NEVER;
    };
    const text = /^[\d.]+$/.test(given) ? `${given}/32` : given;
    if (z.cidrv6().safeParse(text).success || z.ipv6().safeParse(text).success)
      return problem('must be an IPv4 network: databases are not reached over IPv6');
    if (!z.cidrv4().safeParse(text).success)
      return problem(`must be an IPv4 network in CIDR notation, such as 203.0.113.0/24, not ${JSON.stringify(given)}`);
    const network = networkOf(text);
    return network === text
      ? text
      : problem(
          `must be a network, and ${given} is an address in one: write ${network}, or ${text.replace(/\/.*/, '/32')} for the address`,
        );
  });

/** The network of an address in CIDR notation, with all bits of the host cleared. */
const networkOf = (text: string): string => {
  const [address = '', bits = ''] = text.split('/');
  const value = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
  const first = value - (value % 2 ** (32 - Number(bits)));
  return `${[24, 16, 8, 0].map(shift => Math.floor(first / 2 ** shift) % 256).join('.')}/${bits}`;
};

/** Who may connect to a database from outside of the platform, and where. */
export const externalAccess = z.object({
  enabled: z.boolean().describe('Whether clients outside of the platform can connect.'),
  allowed_cidrs: z.array(z.string()).describe('IPv4 networks that may connect while it is enabled.'),
  open_to_everyone: z.boolean().describe('Whether it is enabled for all addresses of the internet (`0.0.0.0/0`).'),
  host: z.string().nullable().describe('Host for clients outside; null unless they can connect.'),
  port: z.int().nullable().describe('Port for clients outside; null unless they can connect.'),
  unavailable_reason: z
    .string()
    .nullable()
    .describe(
      'Why clients outside cannot connect to this database on this installation, whatever is enabled; otherwise null.',
    ),
});
export type ExternalAccess = z.output<typeof externalAccess>;

export const externalAccessInput = z.strictObject({
  enabled: z.boolean().optional().describe('Whether clients outside of the platform can connect.'),
  allowed_cidrs: z
    .array(allowedCidr)
    .max(MOST_NETWORKS)
    .superRefine((cidrs, context) => {
      const twice = cidrs.find((cidr, index) => cidrs.indexOf(cidr) !== index);
      if (twice !== undefined) context.addIssue(`has ${twice} twice`);
    })
    .optional()
    .describe(
      `IPv4 networks or addresses that may connect, at most ${MOST_NETWORKS}. \`0.0.0.0/0\` admits everyone. Required to enable external access.`,
    ),
});

/** Fields that are absent stay as they are. */
export const updateDatabase = request('update-database', {
  request: z.object({
    workspace_id: id,
    database_id: id.describe('Id of the database.'),
    external_access: externalAccessInput.describe(
      'Whether and from where clients outside of the platform can connect.',
    ),
  }),
  reply: z.object({
    id: id.describe('Id of the database.'),
    external_access: externalAccess.describe('The access after the change.'),
  }),
  refusals: {
    database_not_found: 404,
    invalid_input: 400,
    external_access_not_available: 409,
    runtime_unavailable: 503,
  },
  deadlineMs: 20_000,
  http: {
    operation: 'Databases.update',
    method: 'PATCH',
    path: '/databases/{database_id}',
    access: ['platform-key', 'session'],
    summary: 'Open a database to clients outside of the platform, or close it',
    description:
      'Takes effect immediately: connections from networks that are no longer allowed end. Clients outside must use TLS and the user that owns the data.',
    examples: {
      body: { external_access: { enabled: true, allowed_cidrs: EXTERNAL_ACCESS.allowed_cidrs } },
      reply: { id: DATABASE.id, external_access: EXTERNAL_ACCESS },
    },
  },
});
