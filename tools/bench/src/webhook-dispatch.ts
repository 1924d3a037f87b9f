import { randomBytes, randomUUID } from 'node:crypto';
import {
  createWebhook,
  type DataOf,
  type delivery,
  emailDelivered,
  listDeliveries,
  OUTCOME_EVENTS,
  removeWebhook,
  replaySince,
  updateWebhook,
} from '@postern/contracts';
import { JetStreamPublisher, RequestClient } from '@postern/messaging';
import { waitFor } from '@postern/testing';
import { startServiceProcess } from './service-process.js';
import { startSurroundings } from './surroundings.js';
import type { Undo } from './undo.js';

const SERVICE_ID = randomUUID();
const metadata = { correlationId: 'bench' };

/** Deliveries that lie ready, to be let go all at once. */
export interface Backlog {
  release(): Promise<void>;
  /** Resolves when every attempt at a healthy endpoint is recorded as accepted. */
  recorded(): Promise<void>;
  end(): Promise<void>;
}

export interface WebhookDispatch {
  readonly pids: Readonly<Record<string, number>>;
  /** One delivery for each event and endpoint, and for the hanging one too. */
  backlogOf(events: number, hangingPath?: string): Promise<Backlog>;
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

/** What a receiver gets, for the reference. */
export const samplePayload = ((): string => {
  const { recipient_index: _, counts: __, ...told } = outcome();
  return JSON.stringify({ event: 'delivered', ...told });
})();

/**
 * webhook-dispatch alone, as a process. Backlogs are made as an owner would come by them: disabled endpoints have their
 * events held, then they are enabled and everything since a time is replayed.
 */
export const startDispatch = async (undo: Undo, origin: string, endpoints: number): Promise<WebhookDispatch> => {
  const { postgres, nats, link } = await startSurroundings(undo);
  const service = await startServiceProcess('webhook-dispatch', {
    POSTERN_NATS_URL: nats.url,
    POSTERN_NATS_SERVERS: nats.url,
    POSTERN_DATABASE_URL: await postgres.createDatabase('webhooks'),
    POSTERN_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    // The guard stays in the path of every call; the bench's receiver lies on the loopback interface.
    POSTERN_WEBHOOKS_ALLOW_PRIVATE: 'true',
  });
  undo.push(() => service.stop());
  const client = new RequestClient(link);
  const publisher = new JetStreamPublisher(link, { service: 'delivery-tracking', contracts: OUTCOME_EVENTS });

  const create = async (path: string) => {
    const request = { service_id: SERVICE_ID, url: `${origin}${path}`, events: ['delivered' as const] };
    return (await client.request(createWebhook, request)).id;
  };
  const enable = (webhookId: string, enabled: boolean) =>
    client.request(updateWebhook, { service_id: SERVICE_ID, webhook_id: webhookId, changes: { enabled } });
  const countOf = async (webhookId: string, state?: (typeof delivery)['_output']['state']) => {
    const filter = { service_id: SERVICE_ID, webhook_id: webhookId, limit: 1, offset: 0 };
    return (await client.request(listDeliveries, state ? { ...filter, state } : filter)).total;
  };
  const publish = async (count: number) => {
    const events = Array.from({ length: count }, (_, number) => ({
      id: randomUUID(),
      type: emailDelivered.type,
      streamId: `bench-${randomUUID()}`,
      version: number + 1,
      occurredAt: new Date(),
      metadata,
      data: outcome(),
    }));
    await publisher.publish(events);
  };

  const steady = await Promise.all(Array.from({ length: endpoints }, (_, number) => create(`/${number}`)));

  const backlogOf = async (events: number, hangingPath?: string): Promise<Backlog> => {
    const hanging = hangingPath === undefined ? [] : [await create(hangingPath)];
    const all = [...steady, ...hanging];
    for (const webhook of all) await enable(webhook, false);
    const [heldBefore, acceptedBefore] = [
      await Promise.all(all.map(webhook => countOf(webhook, 'held'))),
      await Promise.all(steady.map(webhook => countOf(webhook, 'accepted'))),
    ];
    const since = new Date().toISOString();
    await publish(events);
    const complete = async () => {
      const held = await Promise.all(all.map(webhook => countOf(webhook, 'held')));
      return held.every((count, place) => count === (heldBefore[place] as number) + events);
    };
    await waitFor(complete, { timeoutMs: 60_000, intervalMs: 100, describe: 'a backlog of held deliveries' });
    await Promise.all(all.map(webhook => enable(webhook, true)));
    return {
      release: async () => {
        await Promise.all(
          all.map(webhook =>
            client.request(replaySince, { service_id: SERVICE_ID, webhook_id: webhook, since }, metadata),
          ),
        );
      },
      recorded: async () => {
        const settled = async () => {
          const accepted = await Promise.all(steady.map(webhook => countOf(webhook, 'accepted')));
          return accepted.every((count, place) => count >= (acceptedBefore[place] as number) + events);
        };
        await waitFor(settled, { timeoutMs: 30_000, intervalMs: 50, describe: 'every attempt in the log' });
      },
      end: async () => {
        for (const webhook of hanging)
          await client.request(removeWebhook, { service_id: SERVICE_ID, webhook_id: webhook });
      },
    };
  };
  return { pids: { 'webhook-dispatch': service.pid, postgres: postgres.pid }, backlogOf };
};
