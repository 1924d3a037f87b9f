/** What a server keeps of fourteen months of messages, with a clock that moves. */
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { call } from './client.mjs';
import { INTERNET } from './machine.mjs';
import { emailService, eventually, isHealthy, message } from './sending.mjs';
import { HOOKS, WebhookEndpoint } from './webhooks.mjs';

const MESSAGES = Number(process.env.POSTERN_CHECK_MESSAGES ?? 100_000);
const CONNECTIONS = 16;
const MONTH_DAYS = 30;
const DAYS = Array.from({ length: 14 }, (_, month) => month * MONTH_DAYS);
/** On this day, the messages of the first month are deleted. */
const RETAINED_DAYS = 90;

/** Backups of the last two months; without a daily quota. */
const CONFIGURATION = `backup: { keep: 2 }
advanced:
  email-send: { POSTERN_PRODUCTION_DAILY_START: 1000000, POSTERN_PRODUCTION_PER_MINUTE_LIMIT: 1000000 }
  webhook-dispatch: { POSTERN_WEBHOOKS_ALLOW_PRIVATE: true }
`;
const WITH_RETENTION = ['email-send', 'delivery-tracking', 'webhook-dispatch'];

/** Sends messages, and waits until each has arrived and has had its webhook. */
const send = async (world, service, hooks, day, count) => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const recipients = Array.from({ length: count }, (_, index) => `ok-${day}-${index}@receiver.example.net`);
  const left = [...recipients];
  const worker = async () => {
    for (let to = left.pop(); to; to = left.pop()) {
      const options = { agent, body: message(to), headers: { 'api-key': service.key } };
      const { status, text } = await call(world.authority.root, 'POST', '/emails', options);
      assert.equal(status, 200, text);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  agent.destroy();
  await eventually(world, 600_000, () => {
    const arrived = new Set(world.mail.messages.flatMap(({ to }) => to));
    const missing = recipients.filter(to => !arrived.has(to) || !hooks.delivered.has(to));
    assert.deepEqual(
      missing.slice(0, 3),
      [],
      `${missing.length} messages of day ${day}, or their webhooks, are missing`,
    );
  });
  world.mail.messages.length = 0;
  hooks.delivered.clear();
};

const rowsOf = async (server, service, table) => {
  const query = `psql -h /run/postern-postgresql -d postern_${service} -tAc 'SELECT count(*) FROM ${table}'`;
  return Number(await server.exec(`runuser -u postgres -- ${query}`));
};

/** Bytes of everything that `postern storage` measures. */
const storedBytes = async server => {
  await server.exec('postern storage');
  const { bytes } = JSON.parse(await server.exec('cat /var/lib/postern/storage.json')).at(-1);
  return Object.values(bytes).reduce((sum, each) => sum + each, 0);
};

const megabytes = bytes => `${(bytes / 1e6).toFixed(0)} MB`;

/** Each month, what is older than its retention is deleted; the disk stays at its size after three months. */
export const fourteenMonths = async world => {
  const { server, names } = world;
  const hooks = new WebhookEndpoint();
  names.set(HOOKS.host, 'A', INTERNET.address);
  await hooks.listen();
  await server.ownClock();
  await server.exec(`sed -i '/^advanced:/,$d' /etc/postern/config.yaml
cat >> /etc/postern/config.yaml <<'END'
${CONFIGURATION}END
postern config apply && systemctl restart postern-postgresql && postern restart`);
  await eventually(world, 120_000, () => isHealthy(server));
  const service = await emailService(world);
  const webhook = { url: HOOKS.url, events: ['delivered'] };
  await service.client.dashboard('POST', `/email-services/${service.id}/webhooks`, webhook);

  const sent = [{ day: 0, count: await rowsOf(server, 'email_send', 'emails') }];
  const sizes = new Map();
  const count = Math.round(MESSAGES / DAYS.length);
  for (const day of DAYS) {
    await send(world, service, hooks, day, count);
    sent.push({ day, count });
    await server.exec('postern backup');
    sizes.set(day, await storedBytes(server));
    const next = day + MONTH_DAYS;
    server.moveClock(next);
    await world.pause(2_000);
    // Hourly tasks run when a service starts.
    await server.exec(`systemctl restart ${WITH_RETENTION.map(name => `postern-${name}`).join(' ')}`);
    const kept = sent.filter(step => next - step.day < RETAINED_DAYS).reduce((sum, step) => sum + step.count, 0);
    await eventually(world, 120_000, async () => {
      assert.equal(await rowsOf(server, 'email_send', 'emails'), kept, `records on day ${next}`);
      assert.equal(await rowsOf(server, 'delivery_tracking', 'tracked_emails'), kept, `timelines on day ${next}`);
      assert.equal(await rowsOf(server, 'email_send', 'sealed_email_bodies'), 0, `bodies on day ${next}`);
      assert.equal(await rowsOf(server, 'webhook_dispatch', 'deliveries'), 0, `deliveries on day ${next}`);
    });
  }
  const [full, last] = [sizes.get(RETAINED_DAYS), sizes.get(DAYS.at(-1))];
  const result = [...sizes].map(([day, bytes]) => `${megabytes(bytes)} on day ${day}`).join(', ');
  assert.ok(last <= 1.2 * full, result);
  return result;
};
