import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { listening, request } from '../testing/balancer-fixture.js';
import { EchoClient, echoWebSockets } from '../testing/echo-websockets.js';
import { SteadyConnections } from '../testing/steady-connections.js';
import { SupervisedBalancer, untilDead } from '../testing/supervised-balancer.js';

const SERVICE = randomUUID();
const AT_ONCE = 8;
/** A dying process closes its sockets one by one, so a client can lose a connection and also its next one. */
const LOST_AT_MOST = 2 * AT_ONCE;
const TEST_TIMEOUT_MS = 120_000;

describe('When a process of the load balancer is killed while connections are opened continuously', () => {
  let balancer: SupervisedBalancer;
  let server: Server;
  let port: number;
  let url: string;
  let connections: SteadyConnections;

  beforeEach(async () => {
    // Responses are delayed so that some are in progress whenever a process is killed.
    server = createServer((_incoming, response) => setTimeout(() => response.end('one'), 10));
    echoWebSockets(server, 'one');
    port = await listening(server);
    balancer = await SupervisedBalancer.start();
    url = await balancer.client.reserve(SERVICE, 'shop');
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 1);
    connections = new SteadyConnections(url, AT_ONCE);
    await more();
  }, TEST_TIMEOUT_MS);

  afterEach(async () => {
    await connections.stop();
    await balancer.stop();
    server.close();
    server.closeAllConnections();
  }, TEST_TIMEOUT_MS);

  const more = async () => {
    const before = connections.answered;
    await waitFor(() => connections.answered > before + 50, { timeoutMs: 60_000, describe: 'more answers' });
  };

  const kill = async (processId: number) => {
    await connections.exposedTo(async () => {
      process.kill(processId, 'SIGKILL');
      await untilDead(processId);
    });
    await more();
  };

  const killWorker = async (which: number) => {
    const processId = (await balancer.workers())[which]!;
    await kill(processId);
    await balancer.workers(processId);
    await more();
  };

  const killMain = async () => {
    const before = balancer.readyCount;
    await kill(balancer.mainProcess);
    await balancer.untilReady(before + 1);
    await more();
  };

  it(
    'a worker: only its own requests are lost',
    async () => {
      await killWorker(0);
      await connections.stop();

      expect(connections.failures).toEqual([]);
      expect(connections.lost.length).toBeLessThanOrEqual(LOST_AT_MOST);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'the main process: no request is lost, and connections stay open',
    async () => {
      const workers = await balancer.workers();
      const before = await EchoClient.connect(url);

      await killMain();
      await connections.stop();

      expect([...connections.failures, ...connections.lost]).toEqual([]);
      expect([...(await balancer.workers())].sort()).toEqual([...workers].sort());
      expect(await before.echo('hello')).toBe('one: hello');
      expect((await balancer.client.routes())[0]).toMatchObject({ version: 1, backends: [{ id: 'one', underWay: 1 }] });
      before.close();
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'each in turn, several times: only requests of killed workers are lost',
    async () => {
      const rounds = 3;
      for (let round = 0; round < rounds; round += 1) {
        await killWorker(0);
        await killMain();
        await killWorker(1);
      }
      await connections.stop();

      expect(connections.failures).toEqual([]);
      expect(connections.lost.length).toBeLessThanOrEqual(2 * rounds * LOST_AT_MOST);
      expect(await balancer.client.reserve(SERVICE, 'shop')).toBe(url);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'a worker while traffic is switched: no new request reaches the older backend after the switch',
    async () => {
      const next = createServer((_incoming, response) => response.end('next'));
      const nextPort = await listening(next);
      for (let version = 2; version < 6; version += 1) {
        const backend =
          version % 2 === 0
            ? { id: 'next', host: '127.0.0.1', port: nextPort }
            : { id: 'one', host: '127.0.0.1', port };
        const [worker] = await balancer.workers();
        await connections.exposedTo(async () => {
          process.kill(worker!, 'SIGKILL');
          await balancer.client.switchTo(SERVICE, [backend], version);
          const answers = await Promise.all(Array.from({ length: 20 }, () => request(url).catch(() => undefined)));
          await untilDead(worker!);
          expect(answers.filter(answer => answer && answer.body !== backend.id)).toEqual([]);
        });
        await balancer.workers(worker);
        const afterwards = await Promise.all(Array.from({ length: 20 }, () => request(url)));
        expect(new Set(afterwards.map(({ body }) => body))).toEqual(new Set([backend.id]));
      }
      await connections.stop();
      expect(connections.failures).toEqual([]);
      next.close();
      next.closeAllConnections();
    },
    TEST_TIMEOUT_MS,
  );
});
