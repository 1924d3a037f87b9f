import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createWebhook,
  mailAboutWebhook,
  Refusal,
  type RequestOf,
  removeWebhook,
  updateWebhook,
} from '@postern/contracts';
import { PosternServer, silentLog } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { eventually } from '@postern/testing';
import { DispatchFixture } from '../testing/dispatch-fixture.js';
import { MailAboutWebhooks } from './mail-about-webhooks.js';

let world: DispatchFixture;
let emailSend: PosternServer;
const mails: RequestOf<typeof mailAboutWebhook>[] = [];
let isRelayUp = true;

beforeAll(async () => {
  world = await DispatchFixture.start();
  emailSend = new PosternServer({ link: world.natsLink, service: 'email-send', log: silentLog });
  emailSend.handle(mailAboutWebhook, async request => {
    if (!isRelayUp) throw new Refusal('relay_unavailable', 'the mail could not be sent');
    mails.push(request as RequestOf<typeof mailAboutWebhook>);
    return {};
  });
  emailSend.listen();
}, 60_000);
afterAll(async () => {
  await emailSend?.close();
  await world.stop();
});
beforeEach(() => {
  mails.length = 0;
  isRelayUp = true;
});

const run = () => world.service.app.get(MailAboutWebhooks).run();
const query = (text: string, values: unknown[]) => world.service.app.get(Database).pool.query(text, values);
const statesOf = (webhookId: string) =>
  mails.filter(({ webhook_id }) => webhook_id === webhookId).map(({ state }) => state);

/** A webhook whose endpoint refuses every event. */
const failing = async (answers = 3) => {
  const service_id = randomUUID();
  const path = `/${randomUUID()}`;
  let status = 404;
  world.receiver.answerWith(({ url }) => (url.startsWith(path) ? { status } : {}));
  const url = `${world.receiver.url}${path}`;
  const { id } = await world.client.request(createWebhook, {
    service_id,
    workspace_id: service_id,
    url,
    events: ['delivered'],
  });
  const deliver = async () => void (await world.requestFor(await world.publish('delivered', service_id)));
  for (let count = 0; count < answers; count += 1) await deliver();
  const recorded = async (attempts: number) =>
    eventually(async () => {
      const found = await query('SELECT latest FROM failing_webhooks WHERE webhook_id = $1', [id]);
      expect(found.rowCount).toBe(attempts);
    });
  await recorded(1);
  return {
    id,
    service_id,
    url,
    /** Lets the episode have begun this long ago. */
    since: (minutes: number) =>
      query("UPDATE failing_webhooks SET since = now() - $2 * interval '1 minute' WHERE webhook_id = $1", [
        id,
        minutes,
      ]),
    recover: async () => {
      status = 204;
      await deliver();
      await recorded(0);
    },
  };
};

describe('Owners are told about a webhook', () => {
  it('once when it keeps failing, with the last answer, and once when it works again', async () => {
    const webhook = await failing();
    await run();
    expect(statesOf(webhook.id)).toEqual([]);
    await webhook.since(6);
    await run();
    await run();
    expect(mails.filter(({ webhook_id }) => webhook_id === webhook.id)).toEqual([
      {
        service_id: webhook.service_id,
        webhook_id: webhook.id,
        url: webhook.url,
        state: 'failing',
        since: expect.any(String),
        answer: 'status 404',
      },
    ]);
    await webhook.recover();
    await run();
    await run();
    expect(statesOf(webhook.id)).toEqual(['failing', 'recovered']);
  });

  it('not about an episode that ended before the first mail', async () => {
    const webhook = await failing();
    await webhook.recover();
    await run();
    expect(statesOf(webhook.id)).toEqual([]);
  });

  it('not about two failed attempts', async () => {
    const webhook = await failing(2);
    await webhook.since(6);
    await run();
    expect(statesOf(webhook.id)).toEqual([]);
  });

  it('again when the mail could not be sent', async () => {
    const webhook = await failing();
    await webhook.since(6);
    isRelayUp = false;
    await expect(run()).rejects.toThrow('could not be sent');
    isRelayUp = true;
    await run();
    expect(statesOf(webhook.id)).toEqual(['failing']);
  });

  it('not after its owner disabled or deleted it', async () => {
    const [disabled, deleted] = [await failing(), await failing()];
    for (const webhook of [disabled, deleted]) await webhook.since(6);
    await run();
    const of = ({ service_id, id }: { service_id: string; id: string }) => ({ service_id, webhook_id: id });
    await world.client.request(updateWebhook, { ...of(disabled), changes: { enabled: false } });
    await world.client.request(removeWebhook, of(deleted));
    await run();
    expect([...statesOf(disabled.id), ...statesOf(deleted.id)]).toEqual(['failing', 'failing']);
    const left = await query('SELECT 1 FROM webhook_notices WHERE webhook_id = ANY ($1::uuid[])', [
      [disabled.id, deleted.id],
    ]);
    expect(left.rowCount).toBe(0);
  });
});
