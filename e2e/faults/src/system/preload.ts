import pg from 'pg';
import type { SteadyClients } from '../clients/steady-clients.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import type { Postern } from './postern.js';
import { signal } from './process-table.js';
import { measureRecovery } from './recovery.js';

const AGE = '20 days';
const CHUNK = 100_000;

/** The events of one sent message, used as a template. */
const PATTERN = `
  SELECT version, type, data, metadata FROM event_store.events
  WHERE stream_id = (SELECT stream_id FROM event_store.events WHERE type = 'email-send.email-handed-over.v1' LIMIT 1)`;

/** Of the first transactions, so that every reader of the log is past them. */
const INSERT = `
  WITH pattern AS (${PATTERN}), emails AS (
    SELECT n, gen_random_uuid()::text AS email_id FROM generate_series($1::integer, $2::integer) AS n
  )
  INSERT INTO event_store.events (txid, stream_id, version, id, type, data, metadata, occurred_at)
  SELECT '3', 'preload-' || email_id, version, gen_random_uuid(), type,
    data || jsonb_build_object('email_id', email_id, 'service_id', $3::text), metadata, now() - interval '${AGE}'
  FROM emails CROSS JOIN pattern ORDER BY n, version`;

interface Running {
  readonly postern: Postern;
  readonly clients: SteadyClients;
  readonly receiver: WebhookReceiver;
}

/** Inserts many old events into the log of email-send, as if they had been read long ago. */
export const preload = async ({ postern, clients, receiver }: Running, events: number): Promise<void> => {
  // One sent message is the template for all.
  await measureRecovery(postern, clients, receiver);
  const client = new pg.Client({ connectionString: postern.started?.databaseUrl ?? '' });
  await client.connect();
  const pid = await postern.pidOf('email-send');
  // Paused, because it would share the locks of the inserts.
  signal(pid, 'SIGSTOP');
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM (${PATTERN}) AS one`,
    );
    const emails = Math.ceil(events / Math.max(1, rows[0]?.count ?? 1));
    const foreign = crypto.randomUUID();
    for (let from = 1; from <= emails; from += CHUNK)
      await client.query(INSERT, [from, Math.min(emails, from + CHUNK - 1), foreign]);
  } finally {
    signal(pid, 'SIGKILL');
    await client.end();
  }
  await measureRecovery(postern, clients, receiver);
};
