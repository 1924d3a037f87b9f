import { randomBytes, randomUUID } from 'node:crypto';
import { listEmails, type RequestInput } from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { type Cleanup, freePort } from '@postern/testing';
import pg from 'pg';
import { startInfrastructure } from './infrastructure.js';
import { percentile } from './measure/statistics.js';
import { figure, table } from './measure/table.js';
import type { BenchOptions } from './options.js';
import type { PartReport } from './report.js';
import { startServiceProcess } from './service-process.js';

const STEP = 50_000;
const CALLS = 40;
const TARGET_MS = 50;
const SERVICE = randomUUID();
const DAY_MS = 86_400_000;

/** Messages `$2` to `$3` of a service, over ninety days: 0.1 % bounced, none complained. The product's own table and indexes. */
const LOAD = `
  INSERT INTO tracked_emails (id, service_id, status, mode, sender, subject, accepted_at, counts, recipients, states,
    search, address, result, message_id)
  SELECT gen_random_uuid(), $1::uuid, 'sent', 'production', 'orders@shop.example.com', 'Your receipt ' || n,
    now() - interval '90 days' + interval '90 days' * n / $4::float8, true,
    jsonb_build_array(jsonb_build_object('index', 0, 'address', 'user' || n || '@customers.test', 'role', 'to', 'copy',
      'taken', 'delivered', true)),
    CASE WHEN n % 1000 = 1 THEN '{bounced}' ELSE '{delivered}' END::text[],
    'your receipt ' || n || E'\\norders@shop.example.com\\nuser' || n || '@customers.test', 'user' || n || '@customers.test',
    CASE WHEN n % 1000 = 1 THEN 'failed' ELSE 'sent' END, n || '@shop.example.com'
  FROM generate_series($2::bigint, $3::bigint) AS n`;

type Query = Partial<RequestInput<typeof listEmails>>;

const queriesOf = (messages: number, after: string): Readonly<Record<string, Query>> => ({
  'first page': {},
  'after a cursor in the middle': { after },
  'offset 10,000': { offset: 10_000 },
  'last day': { from: new Date(Date.now() - DAY_MS).toISOString() },
  'state bounced': { state: 'bounced' },
  'state complained, none': { state: 'complained' },
  'result failed': { result: 'failed' },
  'an old address': { search: `user${Math.floor(messages / 10)}@customers.test` },
  'a frequent word': { search: 'receipt' },
  'a Message-ID': { message_id: `${Math.floor(messages / 7)}@shop.example.com` },
});

/** `npm run bench -- growth --messages N`: lists and searches of a service with many messages. */
export const measureGrowth = async ({ messages }: BenchOptions, cleanup: Cleanup): Promise<PartReport> => {
  const { postgres, nats, link } = await startInfrastructure(cleanup);
  const databaseUrl = await postgres.createDatabase('growth');
  const start = async () =>
    startServiceProcess('delivery-tracking', {
      POSTERN_NATS_URL: nats.url,
      POSTERN_NATS_SERVERS: nats.url,
      POSTERN_DATABASE_URL: databaseUrl,
      POSTERN_LINK_SECRETS: randomBytes(32).toString('base64url'),
      POSTERN_BOUNCE_DOMAIN: 'bounces.example.com',
      POSTERN_BOUNCE_SMTP_PORT: String(await freePort()),
    });
  let service = await start();
  cleanup.push(() => service.stop());
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  cleanup.push(() => pool.end());
  const loadedFrom = performance.now();
  for (let from = 1; from <= messages; from += STEP) {
    const until = Math.min(from + STEP - 1, messages);
    await pool.query(LOAD, [SERVICE, from, until, messages]);
    console.error(`▸ ${figure(until)} of ${figure(messages)} messages`);
  }
  await pool.query('VACUUM ANALYZE tracked_emails');
  const loadS = (performance.now() - loadedFrom) / 1_000;
  const { rows } = await pool.query<{ id: string; bytes: string }>(
    `SELECT id, pg_total_relation_size('tracked_emails') AS bytes FROM tracked_emails
     WHERE service_id = $1 AND accepted_at <= now() - interval '45 days' ORDER BY accepted_at DESC, id DESC LIMIT 1`,
    [SERVICE],
  );
  const client = new RequestClient(link);
  cleanup.push(() => client.close());
  const measured: Record<string, { p50: number; p99: number }> = {};
  for (const [name, query] of Object.entries(queriesOf(messages, rows[0]?.id ?? ''))) {
    const took: number[] = [];
    for (let call = 0; call < CALLS; call++) {
      const at = performance.now();
      await client.request(listEmails, { service_id: SERVICE, limit: 20, ...query });
      took.push(performance.now() - at);
    }
    const sorted = took.toSorted((a, b) => a - b);
    measured[name] = { p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
  }
  await service.stop();
  const startedFrom = performance.now();
  service = await start();
  const startS = (performance.now() - startedFrom) / 1_000;
  const bytes = Number(rows[0]?.bytes ?? 0) / messages;
  return {
    text: [
      `${figure(messages)} messages of one service, loaded in ${figure(loadS)} s; ${figure(bytes)} bytes of the read model each`,
      table(
        ['', 'p50 ms', 'p99 ms'],
        Object.entries(measured).map(([name, { p50, p99 }]) => [name, figure(p50, 1), figure(p99, 1)]),
      ),
      `delivery-tracking starts in ${figure(startS, 1)} s`,
      `Target: p99 of ${TARGET_MS} ms, whatever the number of messages`,
    ].join('\n\n'),
    figures: {
      messages,
      load_s: loadS,
      bytes_per_message: bytes,
      start_s: startS,
      queries: measured,
      target_ms: TARGET_MS,
    },
  };
};
