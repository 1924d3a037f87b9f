import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { authenticateApiKey, getEmail } from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from './testing/gateway-under-test.js';
import { call } from './testing/http.js';

const ID = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const RECORD = { id: ID, status: 'sent', mode: 'sandbox', from: 'a@b.c', to: ['d@e.f'], message: 'Done.' } as const;

const get = (gateway: GatewayUnderTest) =>
  call('GET', `${gateway.url}/emails/${ID}`, { headers: { 'api-key': `em_live_${'a'.repeat(43)}` } });

describe('shutting down', () => {
  it('finishes open requests, closes their connections and accepts no new ones', async () => {
    const gateway = await startGateway();
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    gateway.services.on(authenticateApiKey, () => ({ service_id: ID }));
    gateway.services.on(getEmail, async () => {
      arrive();
      await mayAnswer;
      return { ...RECORD, to: [...RECORD.to] };
    });
    const underWay = get(gateway);
    await arrived;
    const stopped = gateway.stopGateway();
    await expect(closedTo(gateway)).resolves.toBe(true);
    letAnswer();
    expect(await underWay).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await stopped).toBe(true);
    await gateway.stop();
  });
});

describe('a client that reuses its connection', () => {
  it('gets one more response while the gateway drains, with Connection: close', async () => {
    const gateway = await startGateway({ POSTERN_CONNECTION_DRAIN_MS: '10000' });
    const socket = connect(gateway.port, '127.0.0.1');
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
    });
    const send = () => socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    send();
    await waitFor(() => /^HTTP\/1\.1 200 .*connection: keep-alive/is.test(received));
    const stopped = gateway.stopGateway();
    await waitFor(async () => (await call('GET', `${gateway.url}/health/live`)).headers['connection'] === 'close');
    received = '';
    const closed = once(socket, 'close');
    send();
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
    expect(await stopped).toBe(true);
    await gateway.stop();
  });
});

describe('connections that wait in the kernel when a busy gateway stops', () => {
  it('are accepted, and get their responses', async () => {
    const gateway = await startGateway({ POSTERN_CONNECTION_DRAIN_MS: String(DRAIN_MS) });
    const connected = new Int32Array(new SharedArrayBuffer(4));
    const clients = new Worker(CLIENTS, { eval: true, workerData: { port: gateway.port, count: WAITING, connected } });
    const ended = once(clients, 'message');
    await once(clients, 'online');
    const idle = connect(gateway.port, '127.0.0.1');
    await once(idle, 'connect');
    const stopped = gateway.stopGateway();
    await waitFor(async () => (await call('GET', `${gateway.url}/health/live`)).headers['connection'] === 'close');
    // Blocks the event loop of the gateway until the drain is over.
    clients.postMessage('connect');
    for (let count = 0; count < WAITING; count = Atomics.load(connected, 0)) Atomics.wait(connected, 0, count, 10_000);
    Atomics.wait(connected, 0, WAITING, DRAIN_MS);
    expect(await ended).toEqual([Array.from({ length: WAITING }, () => expect.stringMatching(/^HTTP\/1\.1 200 /))]);
    idle.destroy();
    expect(await stopped).toBe(true);
    await gateway.stop();
  });
});

describe('without the service', () => {
  it('responds with 503 and Retry-After immediately', async () => {
    const gateway = await startGateway();
    await gateway.services.stop();
    expect(await get(gateway)).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    await gateway.stop();
  });
});

const WAITING = 8;
const DRAIN_MS = 1_000;

/** Sends a request on each of its connections, in a thread of its own. */
const CLIENTS = `
const { parentPort, workerData: { port, count, connected } } = require('node:worker_threads');
const { connect } = require('node:net');
parentPort.once('message', () => {
  const responses = Array.from({ length: count }, () => new Promise(resolve => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /health/live HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => {
      Atomics.add(connected, 0, 1);
      Atomics.notify(connected, 0);
    }));
    socket.on('data', chunk => { received += chunk.toString('latin1'); });
    socket.on('error', error => resolve(error.code));
    socket.on('close', () => resolve(received));
  }));
  void Promise.all(responses).then(all => parentPort.postMessage(all));
});
`;

/** Polls until new connections are refused. */
const closedTo = async (gateway: GatewayUnderTest): Promise<boolean> => {
  const answer = await call('GET', `${gateway.url}/health/live`, { headers: { connection: 'close' } }).catch(
    () => undefined,
  );
  return answer === undefined ? true : closedTo(gateway);
};
