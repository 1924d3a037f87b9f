import { expect, it } from '@jest/globals';
import type { LogDrain } from '@postern/contracts';
import { startHttpReceiver, waitFor } from '@postern/testing';
import { sharedPlatform } from '../stories.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();

it('A custom domain is verified by its TXT record, and a TLS proxy may then get a certificate for it', async () => {
  const service = await platform.service(webApp('one'));
  const { world } = platform;
  const tlsStatus = async () => (await world.call('GET', '/tls/ask?domain=shop.example.com')).status;
  const { status, body: added } = await world.callDashboardApi('POST', `${service.path}/domains`, {
    domain: 'Shop.Example.com',
  });
  expect([status, added]).toMatchObject([201, { domain: 'shop.example.com', status: 'pending' }]);
  const { name, value } = added['txt'] as { name: string; value: string };
  expect(await tlsStatus()).toBe(404);

  await world.postern.dns.setText(name, value);
  const verified = await world.callDashboardApi('POST', `${service.path}/domains/${added['id']}/verify`);
  expect([verified.status, verified.body]).toMatchObject([200, { status: 'verified' }]);
  await waitFor(async () => (await tlsStatus()) === 200);

  const removed = await world.callDashboardApi('DELETE', `${service.path}/domains/${added['id']}`);
  expect([removed.status, removed.body]).toEqual([200, { id: added['id'], deleted: true }]);
  await waitFor(async () => (await tlsStatus()) === 404);
}, 60_000);

it('The log of a web service can be followed live, including its build', async () => {
  const service = await platform.service(webApp('one'));
  const { world } = platform;
  const url = `${world.postern.baseUrl}/dashboard/api${service.path}/logs/stream`;
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${world.token}` },
    signal: leaving.signal,
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
  })().catch(() => undefined);
  const { id } = await service.deploy();
  await waitFor(() => text.includes(`Deployment ${id} is built`), {
    timeoutMs: 15_000,
    describe: 'the end of the build',
  });
  const lines = [...text.matchAll(/^id: (.*)$/gm)].map(([, lineId]) => lineId);
  expect(new Set(lines).size).toBe(lines.length);
  leaving.abort();
  await reading;
}, 120_000);

it('A log drain sends the stored lines in order, as the log has them', async () => {
  const service = await platform.service(webApp('one'));
  const { world } = platform;
  const receiver = await startHttpReceiver();
  try {
    const drains = `${service.path}/log-drains`;
    const { status, body: drain } = await world.callDashboardApi('POST', drains, {
      kind: 'https',
      url: receiver.url,
      token: 'token-of-the-receiver',
    });
    expect([status, drain]).toMatchObject([201, { state: 'active', header_names: ['Authorization'] }]);
    const { id: deploymentId } = await service.deploy();
    const received = () =>
      receiver.requests.flatMap(({ body }) =>
        body
          .toString()
          .trimEnd()
          .split('\n')
          .map(text => JSON.parse(text) as { message: string; stream: string; deployment_id: string | null }),
      );
    await waitFor(() => received().some(({ message }) => message.includes(`Deployment ${deploymentId} is built`)), {
      timeoutMs: 30_000,
      describe: 'the end of the build at the receiver',
    });
    const { body } = await world.callDashboardApi('GET', `${service.path}/logs?tail=1000`);
    const stored = (body['lines'] as { message: string }[]).map(({ message }) => message);
    const sent = received().map(({ message }) => message);
    expect(stored.slice(0, sent.length)).toEqual(sent);
    expect(received().find(({ stream }) => stream === 'build')?.deployment_id).toBe(deploymentId);
    expect(receiver.requests[0]?.headers['authorization']).toBe('Bearer token-of-the-receiver');
    const listed = await world.callDashboardApi('GET', drains);
    expect((listed.body as unknown as LogDrain[])[0]).toMatchObject({ state: 'active', lines_lost: 0 });
  } finally {
    await receiver.stop();
  }
}, 120_000);
