import { randomBytes, randomUUID } from 'node:crypto';
import {
  createWebhook,
  type DataOf,
  emailDelivered,
  OUTCOME_EVENTS,
  removeWebhook,
  updateWebhook,
} from '@postern/contracts';
import { RequestClient } from '@postern/messaging';
import { TestEventSource } from '@postern/service-host/testing';
import { type Cleanup, waitFor } from '@postern/testing';
import pg from 'pg';
import { startInfrastructure } from './infrastructure.js';
import { startServiceProcess } from './service-process.js';

const SERVICE_ID = randomUUID();
const metadata = { correlationId: 'bench' };

/** Due deliveries of a frozen service. */
export interface Backlog {
  /** Resumes the service. */
  release(): void;
  /** Resolves when every attempt for a healthy endpoint is recorded as accepted. */
  recorded(): Promise<void>;
  end(): Promise<void>;
}

export interface WebhookDispatch {
  readonly pids: Readonly<Record<string, number>>;
  /** Creates one delivery per event and endpoint, including the hanging one. */
  backlogOf(events: number, hangingPath?: string): Promise<Backlog>;
  /** Leaves the events in their log, to be read and queued. */
  eventsWaiting(events: number): Promise<Backlog>;
}

const outcome = (): DataOf<typeof emailDelivered> => ({
  email_id: randomUUID(),
  service_id: SERVICE_ID,
  recipient_index: 0,
  to: 'ada@customers.test',
  from: 'Shop <orders@example.com>',
  subject: 'Your receipt for order 4711',
  timestamp: new Date().toISOString(),
  counts: true,
  data: { smtp_response: '250 2.0.0 Ok: queued as 4XhJ7k2Qz9' },
});

/** The payload that the reference sends. */
export const samplePayload = ((): string => {
  const { recipient_index: _, counts: __, ...payload } = outcome();
  return JSON.stringify({ event: 'delivered', ...payload });
})();

const COUNT = 'SELECT count(*)::int AS deliveries FROM deliveries WHERE webhook_id = ANY ($1) AND state = $2';

/** Makes held deliveries due at once; replays would be created while the first ones are delivered. */
const MAKE_DUE = "UPDATE deliveries SET state = 'pending', reason = NULL, next_attempt_at = now() WHERE state = 'held'";

/**
 * webhook-dispatch as a process. To create a backlog, its endpoints are disabled while it consumes their events, which
 * are held. Then it is frozen and the held deliveries become due.
 */
export const startDispatch = async (cleanup: Cleanup, origin: string, endpoints: number): Promise<WebhookDispatch> => {
  const { postgres, nats, link } = await startInfrastructure(cleanup);
  const databaseUrl = await postgres.createDatabase('webhooks');
  const service = await startServiceProcess('webhook-dispatch', {
    POSTERN_NATS_URL: nats.url,
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_DATABASE_URL: databaseUrl,
    POSTERN_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    // The address guard stays active; the receiver is on the loopback interface.
    POSTERN_WEBHOOKS_ALLOW_PRIVATE: 'true',
  });
  cleanup.push(() => service.stop());
  const database = new pg.Client(databaseUrl);
  await database.connect();
  cleanup.push(() => database.end());
  const client = new RequestClient(link);
  const source = await TestEventSource.start({
    service: 'delivery-tracking',
    contracts: OUTCOME_EVENTS,
    link,
    databaseUrl: await postgres.createDatabase('outcomes'),
  });
  cleanup.push(() => source.stop());

  const create = async (path: string) => {
    const owner = { service_id: SERVICE_ID, workspace_id: SERVICE_ID };
    const request = { ...owner, url: `${origin}${path}`, events: ['delivered' as const] };
    return (await client.request(createWebhook, request)).id;
  };
  const enable = (webhookId: string, enabled: boolean) =>
    client.request(updateWebhook, { service_id: SERVICE_ID, webhook_id: webhookId, changes: { enabled } });
  const countOf = async (webhookIds: readonly string[], state: string) => {
    const { rows } = await database.query<{ deliveries: number }>(COUNT, [webhookIds, state]);
    return rows[0]?.deliveries ?? 0;
  };
  const publish = async (count: number) => {
    const events = Array.from({ length: count }, () => ({
      id: randomUUID(),
      type: emailDelivered.type,
      metadata,
      data: outcome(),
    }));
    await source.publish(events);
  };

  const steady = await Promise.all(Array.from({ length: endpoints }, (_, number) => create(`/${number}`)));

  const recorded = async (expected: number): Promise<void> => {
    const settled = async () => (await countOf(steady, 'pending')) === 0;
    await waitFor(settled, { timeoutMs: 30_000, intervalMs: 50, describe: 'every attempt in the log' });
    const accepted = await countOf(steady, 'accepted');
    if (accepted !== expected) throw new Error(`${accepted} instead of ${expected} deliveries were recorded`);
  };

  const eventsWaiting = async (events: number): Promise<Backlog> => {
    const acceptedBefore = await countOf(steady, 'accepted');
    service.freeze();
    await publish(events);
    return {
      release: () => service.thaw(),
      recorded: () => recorded(acceptedBefore + steady.length * events),
      end: async () => {},
    };
  };

  const backlogOf = async (events: number, hangingPath?: string): Promise<Backlog> => {
    const hanging = hangingPath === undefined ? [] : [await create(hangingPath)];
    const all = [...steady, ...hanging];
    for (const webhook of all) await enable(webhook, false);
    const acceptedBefore = await countOf(steady, 'accepted');
    await publish(events);
    const complete = async () => (await countOf(all, 'held')) === all.length * events;
    await waitFor(complete, { timeoutMs: 60_000, intervalMs: 100, describe: 'a backlog of held deliveries' });
    await Promise.all(all.map(webhook => enable(webhook, true)));
    service.freeze();
    await database.query(MAKE_DUE);
    return {
      release: () => service.thaw(),
      recorded: () => recorded(acceptedBefore + steady.length * events),
      end: async () => {
        for (const webhook of hanging)
          await client.request(removeWebhook, { service_id: SERVICE_ID, webhook_id: webhook });
      },
    };
  };
  return { pids: { 'webhook-dispatch': service.pid, postgres: postgres.pid }, backlogOf, eventsWaiting };
};
