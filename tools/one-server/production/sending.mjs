/** Sending through the installation, as its clients do. */
import assert from 'node:assert/strict';
import { Client, call } from './client.mjs';

const OPERATOR = 'owner@example.com';
const SENDER = 'shop.example.com';

/** Repeats a check until it passes. @throws its last error after the time limit. */
export const eventually = async ({ pause }, withinMs, check) => {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(500);
    }
  }
};

const secret = (server, name) => server.exec(`cat /etc/postern/secrets/${name}`).then(text => text.trim());

export const signedIn = async ({ authority, server }) => {
  const client = new Client(authority.root);
  await client.signIn(OPERATOR, await secret(server, 'operator-password'));
  return client;
};

/** An email service with a verified domain; created once. */
export const emailService = async world => {
  const { state, names } = world;
  if (state.service) return state.service;
  const client = await signedIn(world);
  const { id } = await client.dashboard('POST', '/email-services', { name: 'Shop' });
  const { key } = await client.dashboard('POST', `/email-services/${id}/api-keys`, { name: 'check' });
  const domain = await client.dashboard('POST', `/email-services/${id}/domains`, { domain: SENDER });
  for (const { type, name, value } of domain.records) names.set(name, type, value);
  await eventually(world, 30_000, async () => {
    const { status } = await client.dashboard('POST', `/email-services/${id}/domains/${domain.id}/verify`, {});
    assert.equal(status, 'verified');
  });
  state.service = { id, key, client };
  return state.service;
};

export const message = to => ({
  from: `Shop <orders@${SENDER}>`,
  to: [to],
  subject: 'Your receipt',
  message: '<p>Thanks!</p>',
});

/** The status of the message in the dashboard, which follows its notifications. */
export const statusOf = async ({ client, id: service }, id) => {
  const found = await client.dashboard('GET', `/email-services/${service}/emails/${id}`);
  return found.recipients[0].state;
};

/** Sends messages one after the other until it is stopped; a client repeats what has no answer, with the same key. */
export const load = (world, service, label, pauseMs = 100) => {
  const accepted = new Set();
  const messages = [];
  const failed = [];
  let running = true;
  const done = (async () => {
    for (let number = 0; running; number++) {
      const to = `ok-${label}-${number}@receiver.example.net`;
      const headers = { 'api-key': service.key, 'idempotency-key': `${label}-${number}` };
      const sentAt = Date.now();
      const answer = await call(world.authority.root, 'POST', '/emails', { body: message(to), headers }).catch(
        error => ({ status: 0, text: error.message }),
      );
      if (answer.status === 200) {
        accepted.add(to);
        messages.push({ id: answer.json.id, to, sentAt, acceptedAt: Date.now() });
      } else failed.push(`${answer.status} ${answer.text.slice(0, 200)}`);
      await world.pause(pauseMs);
    }
  })();
  return {
    accepted,
    /** The id and recipient of each accepted message, with the times of its request and response. */
    messages,
    failed,
    stop: async () => {
      running = false;
      await done;
    },
  };
};

/**
 * Under which id the Postfix of the server had a message. It delivers one again if the power fails between the answer of the receiver
 * and its own record, which SMTP allows.
 */
const queueIdOf = ({ raw }, index) =>
  /^Received: (?:[^\r\n]|\r?\n[ \t])*?\bid (\w+)/m.exec(raw)?.[1] ?? `unknown ${index}`;

/** Every accepted message arrived, and none was handed over to Postfix twice. */
export const conserved = (world, accepted) =>
  eventually(world, 90_000, async () => {
    for (const recipient of accepted) {
      const arrived = world.mail.messages.filter(({ to }) => to.includes(recipient));
      const ids = [...new Set(arrived.map(queueIdOf))];
      assert.equal(ids.length, 1, `${recipient} arrived once: ${ids.join(', ')}`);
    }
  });

export const isHealthy = server => server.exec('postern status > /dev/null');
