import { z } from 'zod';
import { requestsOf } from '../request.js';
import { id, timestamp } from '../shapes.js';

const request = requestsOf('platform-management');

const verdict = z.enum(['good', 'warning', 'bad']);

/** What the hourly check of an installation on one server found, which the command `postern` writes into a file. */
export const systemReport = z.object({
  checked_at: timestamp,
  version: z.string().describe('The release that runs.'),
  url: z.string(),
  lines: z
    .array(
      z.object({
        check: z.string(),
        verdict,
        found: z.string(),
        advice: z.string().optional().describe('What to do; not for good lines.'),
      }),
    )
    .describe('What was checked, as `postern doctor` shows it.'),
  units: z.array(
    z.object({ unit: z.string(), state: z.string(), active: z.boolean(), restarts: z.int(), memory: z.string() }),
  ),
  disk: z.object({ free_bytes: z.number(), free_percent: z.number() }),
  storage: z
    .object({
      parts: z.array(z.object({ name: z.string(), bytes: z.number() })),
      free_bytes: z.number(),
      growth_bytes_per_day: z.number().nullable().describe('Null until it is known after a day.'),
      full_at: timestamp.nullable().describe('When the disk will be full at this growth.'),
    })
    .nullable(),
  certificate: z.object({ valid_until: timestamp, issuer: z.string() }).nullable(),
  backup: z
    .object({
      created_at: timestamp,
      proven_at: timestamp.nullable().describe('When it was restored into a scratch cluster and compared.'),
      path: z.string(),
    })
    .nullable(),
  interrupted: z.string().nullable().describe('The operation that `postern resume` continues.'),
  records: z
    .array(z.object({ name: z.string(), type: z.string(), value: z.string(), purpose: z.string() }))
    .describe('The DNS records of this installation; whether they are published is in `lines`.'),
});
export type SystemReport = z.output<typeof systemReport>;

/** For operators. */
export const getSystem = request('get-system', {
  request: z.object({ actor_id: id }),
  reply: z.object({
    server: systemReport.nullable().describe('Null if Postern does not run on one server with the command `postern`.'),
  }),
  refusals: { not_an_operator: 403 },
  http: {
    operation: 'System.getSystem',
    method: 'GET',
    path: '/system',
    access: 'operator',
    summary: 'Show the state of the server (operators only)',
    description:
      'Versions, processes, disk, certificate, backup and DNS records, as the last hourly check of an installation on one server found them.',
  },
});
export type System = z.output<typeof getSystem.reply>;
