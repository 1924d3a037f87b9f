/** Sets of releases from a registry: an upgrade from one to the next, and the return of one service, both under load. */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { INTERNET } from './machine.mjs';
import { runningRelease } from './replacing.mjs';
import { conserved, emailService, eventually, isHealthy, load } from './sending.mjs';
import { HOOKS, WebhookEndpoint } from './webhooks.mjs';

/** Together below the daily quota of a new email service, 1,000 messages for all checks. */
const SENDERS = 2;
const PAUSE_MS = 500;

/** The endpoint of the email service, on the internet and without TLS, because nobody signs its certificate. */
const webhookOf = async world => {
  const { server, names } = world;
  const service = await emailService(world);
  const endpoint = new WebhookEndpoint();
  await endpoint.listen();
  names.set(HOOKS.host, 'A', INTERNET.address);
  await server.exec(`cp /etc/postern/config.yaml /root/before-sets.yaml
sed -i '/^advanced:/,$d' /etc/postern/config.yaml
echo 'advanced: { webhook-dispatch: { POSTERN_WEBHOOKS_ALLOW_PRIVATE: true } }' >> /etc/postern/config.yaml
postern config apply`);
  const webhook = { url: HOOKS.url, events: ['delivered'] };
  await service.client.dashboard('POST', `/email-services/${service.id}/webhooks`, webhook);
  return endpoint;
};

/** Runs a command under load. No request may fail, and no message or webhook be lost. @returns what was counted */
const underLoad = async (world, endpoint, label, command) => {
  const service = await emailService(world);
  const senders = Array.from({ length: SENDERS }, (_, number) => load(world, service, `${label}${number}`, PAUSE_MS));
  try {
    await world.server.exec(command);
  } finally {
    await Promise.all(senders.map(sender => sender.stop()));
  }
  assert.deepEqual(
    senders.flatMap(({ failed }) => failed),
    [],
  );
  const accepted = new Set(senders.flatMap(sender => [...sender.accepted]));
  await conserved(world, accepted);
  // Postfix sends a report whose session ended with delivery-tracking again after five minutes.
  await eventually(world, 600_000, () => {
    const missing = [...accepted].filter(to => !endpoint.delivered.has(to));
    assert.deepEqual(missing, [], 'every message has its webhook');
  });
  const messages = senders.flatMap(sender => sender.messages);
  const delays = messages.map(({ to, acceptedAt }) => Math.round((endpoint.delivered.get(to)[0] - acceptedAt) / 1_000));
  const late = delays.filter(seconds => seconds > 60).length;
  const repeated = [...accepted].filter(to => endpoint.delivered.get(to).length > 1).length;
  return `${accepted.size} messages, the slowest webhook after ${Math.max(...delays)} s, ${late} after more than 60 s, ${repeated} twice`;
};

const versionsOf = async server => JSON.parse(await server.exec('postern releases --json'));
const hasNote = async server =>
  (
    await server.exec(`cd / && runuser -u postgres -- psql -h /run/postern-postgresql -d postern_email_send -Atc \
"SELECT count(*) FROM information_schema.columns WHERE table_name = 'emails' AND column_name = 'release_note'"`)
  ).trim() === '1';

export const releasedSets = async world => {
  const { server, archives } = world;
  const [archive] = archives;
  const [, next] = /^postern-(.+)-linux-/.exec(basename(archive));
  const endpoint = await webhookOf(world);
  const before = await versionsOf(server);
  assert.equal(await hasNote(server), false);
  copyFileSync(archive, join(server.root, 'root', basename(archive)));
  copyFileSync(`${archive}.sha256`, join(server.root, 'root', `${basename(archive)}.sha256`));
  await server.exec(`sh install.sh ${basename(archive)}`);

  const upgrade = await underLoad(world, endpoint, 'set', `postern upgrade ${next}`);
  assert.equal(await runningRelease(server), next);
  const after = await versionsOf(server);
  const changed = Object.keys(after).filter(service => `${after[service]}` !== `${before[service]}`);
  assert.deepEqual(changed.sort(), ['email-send', 'webhook-dispatch']);
  assert.equal(await hasNote(server), true);

  const back = await underLoad(world, endpoint, 'back', 'postern rollback email-send');
  const [older] = before['email-send'];
  assert.equal(await runningRelease(server), `${next}+email-send-${older}`);
  assert.deepEqual(await versionsOf(server), { ...after, 'email-send': [older] });
  assert.equal(await hasNote(server), true);
  await isHealthy(server);
  await assert.rejects(server.exec('postern rollback email-send'), /no unpacked release has an older email-send/);

  await server.exec('postern rollback');
  assert.deepEqual(await versionsOf(server), after);
  await server.exec('cat /root/before-sets.yaml > /etc/postern/config.yaml && postern config apply');
  return `to email-send ${after['email-send']}: ${upgrade}; back to ${older} on the new schema: ${back}; all requests answered 200`;
};
