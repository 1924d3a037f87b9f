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
/** The maximum of the write-ahead log, and the queue, are not growth. */
const BOUNDED_PARTS = ['write-ahead log', 'mail queue'];
const MONTHS = Array.from({ length: 13 }, (_, month) => (month + 1) * MONTH_DAYS);
const RETAINED_DAYS = 90;
const DELIVERIES_DAYS = 30;
/** In the first three weeks, messages are sent every day: bodies are deleted from the second week on, so that the third is like it. */
const WEEK_DAYS = 7;
const DAILY = Array.from({ length: 3 * WEEK_DAYS + 1 }, (_, day) => day);
const FORECAST = 2 * WEEK_DAYS;

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

/** What `postern storage` prints, and the bytes of each part. */
const stored = async server => {
  const printed = await server.exec('postern storage');
  const { bytes } = JSON.parse(await server.exec('cat /var/lib/postern/storage.json')).at(-1);
  return { printed, bytes, total: Object.values(bytes).reduce((sum, each) => sum + each, 0) };
};

const megabytes = bytes => `${(bytes / 1e6).toFixed(0)} MB`;

/** How much larger than the growth that `postern storage` printed is the growth of the week after. */
const errorOfForecast = (before, after) => {
  const [, number, unit] = / grows by ([\d.]+) (MB|GB) a day/.exec(before.printed) ?? [];
  assert.ok(number, before.printed);
  const foreseen = Number(number) * (unit === 'GB' ? 1e9 : 1e6) * WEEK_DAYS;
  const unbounded = ({ bytes, total }) => total - BOUNDED_PARTS.reduce((sum, part) => sum + bytes[part], 0);
  return (unbounded(after) - unbounded(before)) / foreseen - 1;
};

/**
 * The growth of the third week is as foreseen. Each month, what is older than its retention is deleted; the disk stays at its
 * size after three months.
 */
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
  const onDay = async (day, count) => {
    await send(world, service, hooks, day, count);
    sent.push({ day, count });
    if (day % WEEK_DAYS === 0 || day >= MONTH_DAYS) await server.exec('postern backup');
    return stored(server);
  };
  const moveTo = async day => {
    server.moveClock(day);
    await world.pause(2_000);
    // Hourly tasks run when a service starts.
    await server.exec(`systemctl restart ${WITH_RETENTION.map(name => `postern-${name}`).join(' ')}`);
    await eventually(world, 120_000, () => isHealthy(server));
  };
  const deletedBy = async day => {
    const after = days => sent.filter(step => day - step.day < days).reduce((sum, step) => sum + step.count, 0);
    await eventually(world, 120_000, async () => {
      assert.equal(await rowsOf(server, 'email_send', 'emails'), after(RETAINED_DAYS), `records on day ${day}`);
      const timelines = await rowsOf(server, 'delivery_tracking', 'tracked_emails');
      assert.equal(timelines, after(RETAINED_DAYS), `timelines on day ${day}`);
      assert.equal(await rowsOf(server, 'email_send', 'sealed_email_bodies'), 0, `bodies on day ${day}`);
      const deliveries = await rowsOf(server, 'webhook_dispatch', 'deliveries');
      assert.equal(deliveries, after(DELIVERIES_DAYS), `deliveries on day ${day}`);
    });
  };

  const count = Math.round(MESSAGES / (MONTHS.length + DAILY.length / WEEK_DAYS));
  const weeks = new Map();
  for (const day of DAILY) {
    await moveTo(day);
    weeks.set(day, await onDay(day, Math.round(count / WEEK_DAYS)));
  }
  const error = errorOfForecast(weeks.get(FORECAST), weeks.get(FORECAST + WEEK_DAYS));
  const forecast = `the third week grew by ${(100 * error).toFixed(0)} % more than foreseen`;
  assert.ok(Math.abs(error) <= 0.2, forecast);

  const months = new Map();
  for (const day of MONTHS) {
    await moveTo(day);
    await deletedBy(day);
    months.set(day, (await onDay(day, count)).total);
  }
  await moveTo(MONTHS.at(-1) + MONTH_DAYS);
  await deletedBy(MONTHS.at(-1) + MONTH_DAYS);
  const result = [...months].map(([day, bytes]) => `${megabytes(bytes)} on day ${day}`).join(', ');
  // On this day, nothing is left of the first month.
  const full = months.get(MONTH_DAYS + RETAINED_DAYS);
  assert.ok(months.get(MONTHS.at(-1)) <= 1.2 * full, result);
  return `${forecast}; ${result}`;
};
