import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, waitFor } from '@postern/testing';
import pg from 'pg';
import type { WebhookEvent } from '../world.js';
import { pause } from './kills.js';
import { copiesByRecipient, type Sent, underLoad } from './load.js';
import { ReplicatedWorld } from './replicated-world.js';

const MESSAGES_BETWEEN = 30;
const PAUSE_BETWEEN_MS = 1_000;
const MORE_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 90_000;
const STORY_WITHIN_MS = 300_000;

const replicated = await ReplicatedWorld.start();
const { world, senders } = replicated;
const services = senders.map(({ serviceId }) => serviceId);
const everything: Sent[] = [];
/** Names of projects that exist, by the responses to their creation. */
const projects: string[] = [];
/** A workspace may have 50. */
const MAX_PROJECTS = 20;

const accepted = (sent: readonly Sent[]) => sent.filter(({ status }) => status === 'sent');

/** Creates projects at any of the gateways, each with a key, until each is known to exist. */
const createProjects = async (session: string, isOver: () => boolean): Promise<void> => {
  const create = async (name: string, key: string) => {
    const response = await fetch(`${replicated.replicas.baseUrl}/dashboard/api/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${session}`, 'idempotency-key': key },
      body: JSON.stringify({ name }),
    });
    // A repetition may learn that the project exists, and that the response was lost.
    return response.ok || response.headers.get('error-code') === 'idempotency_answer_lost';
  };
  for (let made = 0; made < MAX_PROJECTS && !isOver(); made++) {
    const [name, key] = [`project ${projects.length}`, randomUUID()];
    await waitFor(() => create(name, key).catch(() => false), {
      timeoutMs: MORE_WITHIN_MS,
      intervalMs: 500,
      describe: name,
    });
    projects.push(name);
    await pause(PAUSE_BETWEEN_MS);
  }
};

const count = async (
  service: 'email-send' | 'delivery-tracking' | 'webhook-dispatch',
  sql: string,
): Promise<number> => {
  const client = new pg.Client({ connectionString: world.postern.wiring.databaseUrl(service) });
  await client.connect();
  try {
    return Number((await client.query<{ count: string }>(sql, [services])).rows[0]?.count);
  } finally {
    await client.end();
  }
};

/** What each service has counted for the services of this story. */
const acceptedCounts = async () => ({
  acceptedByEmailSend: await count(
    'email-send',
    `SELECT count(*) FROM event_store.events WHERE type = 'email-send.email-accepted.v1' AND data ->> 'service_id' = ANY ($1)`,
  ),
  usedOfDailyQuotas: await count(
    'email-send',
    `SELECT sum(used) AS count FROM sending_usage WHERE period = 'day' AND service_id = ANY ($1)`,
  ),
  usedOfMinuteLimits: await count(
    'email-send',
    `SELECT sum(used) AS count FROM sending_usage WHERE period = 'minute' AND service_id = ANY ($1)`,
  ),
  tracked: await count('delivery-tracking', 'SELECT count(*) FROM tracked_emails WHERE service_id = ANY ($1)'),
  acceptedInStatistics: await count(
    'delivery-tracking',
    'SELECT sum(accepted) AS count FROM daily_email_counts WHERE service_id = ANY ($1)',
  ),
});

const deliveredCounts = async () => ({
  events: await count(
    'delivery-tracking',
    `SELECT count(*) FROM event_store.events WHERE type = 'delivery-tracking.email-delivered.v1' AND data ->> 'service_id' = ANY ($1)`,
  ),
  inStatistics: await count(
    'delivery-tracking',
    'SELECT sum(delivered) AS count FROM daily_email_counts WHERE service_id = ANY ($1)',
  ),
  queued: await count(
    'webhook-dispatch',
    'SELECT count(*) FROM deliveries JOIN webhooks w ON w.id = webhook_id WHERE w.service_id = ANY ($1)',
  ),
  acceptedByEndpoints: await count(
    'webhook-dispatch',
    `SELECT count(*) FROM deliveries JOIN webhooks w ON w.id = webhook_id WHERE w.service_id = ANY ($1) AND state = 'accepted'`,
  ),
  receivedAtLeastOnce: new Set(calls().map(({ email_id }) => email_id)).size,
});

const calls = (): readonly WebhookEvent[] =>
  senders.flatMap(({ receiver }) =>
    receiver.requests.map(({ body }) => JSON.parse(body.toString('utf8')) as WebhookEvent),
  );

const ofLoad = (copies: ReadonlyMap<string, number>) =>
  [...copies].filter(([recipient]) => recipient.startsWith('replicas-'));

describe.each([2, 4])('when one of %i replicas of each service is killed under load, one after the other', replicas => {
  let sent: readonly Sent[];

  beforeAll(async () => {
    await replicated.replicas.scaleTo(replicas);
    let isOver = false;
    const creating = createProjects(world.token, () => isOver);
    sent = await underLoad({ send: replicated.send }, `replicas-${replicas}`, async soFar => {
      const untilMoreGoThrough = async () => {
        const enough = accepted(soFar).length + MESSAGES_BETWEEN;
        await waitFor(() => accepted(soFar).length >= enough, {
          timeoutMs: MORE_WITHIN_MS,
          intervalMs: 50,
          describe: () => `${enough} messages to go through, of ${soFar.length} that were answered`,
        });
        await pause(PAUSE_BETWEEN_MS);
      };
      await untilMoreGoThrough();
      const killed = await replicated.killOneOfEach(untilMoreGoThrough);
      console.info(`killed: ${killed.join(', ')}`);
      await untilMoreGoThrough();
    });
    isOver = true;
    await creating;
    everything.push(...sent);
  }, STORY_WITHIN_MS);

  it('every accepted message was handed to the relay exactly once, and none twice', async () => {
    const copies = await copiesByRecipient(world.postern.mailboxUrl);
    expect(accepted(sent).filter(({ recipient }) => copies.get(recipient) !== 1)).toEqual([]);
    expect(ofLoad(copies).filter(([, count]) => count !== 1)).toEqual([]);
  });

  it(
    'the events, the read models, the statistics and the counters of quotas have every accepted message once',
    () =>
      eventually(
        async () => {
          const { acceptedByEmailSend, ...others } = await acceptedCounts();
          expect(acceptedByEmailSend).toBeGreaterThanOrEqual(accepted(everything).length);
          expect(others).toEqual({
            usedOfDailyQuotas: acceptedByEmailSend,
            usedOfMinuteLimits: acceptedByEmailSend,
            tracked: acceptedByEmailSend,
            acceptedInStatistics: acceptedByEmailSend,
          });
        },
        { timeoutMs: SETTLED_WITHIN_MS },
      ),
    STORY_WITHIN_MS,
  );

  it(
    'every copy at the relay has one delivered event, one delivery to its webhook, and at least one call',
    async () => {
      const copies = ofLoad(await copiesByRecipient(world.postern.mailboxUrl)).length;
      await eventually(
        async () =>
          expect(await deliveredCounts()).toEqual({
            events: copies,
            inStatistics: copies,
            queued: copies,
            acceptedByEndpoints: copies,
            receivedAtLeastOnce: copies,
          }),
        { timeoutMs: SETTLED_WITHIN_MS },
      );
    },
    STORY_WITHIN_MS,
  );

  it('every created project exists once', async () => {
    const { body } = await world.callDashboardApi('GET', '/projects');
    const listed = (body as unknown as { name: string }[]).map(({ name }) => name);
    expect(listed.toSorted()).toEqual(projects.toSorted());
  });
});
