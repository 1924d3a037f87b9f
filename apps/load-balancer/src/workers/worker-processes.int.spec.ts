import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@postern/testing';
import { listening, request } from '../testing/balancer-fixture.js';
import { EchoClient, echoWebSockets } from '../testing/echo-websockets.js';
import { SteadyConnections } from '../testing/steady-connections.js';
import { SupervisedBalancer, untilDead } from '../testing/supervised-balancer.js';

const SERVICE = randomUUID();
const TEST_TIMEOUT_MS = 120_000;
const PATIENCE = { timeoutMs: 60_000 };

/** A process between the test and the load balancer. */
const SUPERVISOR = `
  const options = { stdio: ['pipe', 'inherit', 'inherit'] };
  console.log(String(require('node:child_process').spawn(process.execPath, [process.argv[1]], options).pid));
  setInterval(() => undefined, 60_000);`;

describe('The worker processes of the load balancer', () => {
  let server: Server;
  let port: number;
  let balancer: SupervisedBalancer;
  let url: string;

  beforeEach(async () => {
    server = createServer((incoming, response) => {
      if (incoming.url === '/slow') response.write('slow');
      else response.end('y'.repeat(5_000));
    });
    echoWebSockets(server, 'one');
    port = await listening(server);
  });

  afterEach(async () => {
    await balancer.stop();
    server.close();
    server.closeAllConnections();
  }, TEST_TIMEOUT_MS);

  const start = async (environment: Record<string, string> = {}, flags: readonly string[] = []) => {
    balancer = await SupervisedBalancer.start(environment, flags);
    url = await balancer.client.reserve(SERVICE, 'shop');
    await balancer.client.switchTo(SERVICE, [{ id: 'one', host: '127.0.0.1', port }], 1);
  };

  const underWay = async () => (await balancer.client.routes())[0]?.backends[0]?.underWay;

  const killMain = async () => {
    const before = balancer.readyCount;
    process.kill(balancer.mainProcess, 'SIGKILL');
    await balancer.untilReady(before + 1);
  };

  it(
    'leave all new connections to the active one while it runs',
    async () => {
      await start();
      const clients = await Promise.all(Array.from({ length: 10 }, () => EchoClient.connect(url)));
      const [active, standby] = await balancer.workers();

      process.kill(standby!, 'SIGKILL');
      await balancer.workers(standby);

      expect(await Promise.all(clients.map(client => client.echo('still')))).toEqual(Array(10).fill('one: still'));
      process.kill(active!, 'SIGKILL');
      expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(Array(10).fill(1006));
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'exit if no main process takes control in time',
    async () => {
      await start({ POSTERN_PLATFORM_BALANCER_FAILOVER_TIMEOUT_MS: '500' });
      const workers = await balancer.workers();

      await balancer.abandon();
      await Promise.all(workers.map(untilDead));

      await expect(request(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'exit with the supervisor if configured to',
    async () => {
      await start({ POSTERN_EXIT_WITH_PARENT: 'true' }, ['-e', SUPERVISOR]);
      const workers = await balancer.workers();
      const mainProcess = Number(balancer.lines.find(line => /^\d+$/.test(line)));

      process.kill(mainProcess, 'SIGKILL');
      await balancer.abandon();

      await Promise.all([mainProcess, ...workers].map(untilDead));
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'serve host names at one shared port after the kill of any process',
    async () => {
      await start({ POSTERN_PLATFORM_DOMAIN: 'apps.test' });
      await balancer.client.routeHosts({ 'shop.example.com': SERVICE });
      const ports = () => balancer.lines.filter(line => line.includes('"ready"')).map(line => JSON.parse(line).port);
      const [shared] = ports();
      const statuses = () =>
        Promise.all(
          [`shop-${SERVICE.slice(-8)}.apps.test`, 'shop.example.com', 'other.example.com'].map(async host => {
            const { status } = await request(`http://127.0.0.1:${shared}`, { headers: { Host: host } });
            return status;
          }),
        );
      const [active, standby] = await balancer.workers();

      process.kill(active!, 'SIGKILL');
      await untilDead(active!);
      expect(await statuses()).toEqual([200, 200, 404]);
      await balancer.workers(active);
      await killMain();
      expect(await statuses()).toEqual([200, 200, 404]);
      process.kill(standby!, 'SIGKILL');
      await balancer.workers(standby);

      expect(await statuses()).toEqual([200, 200, 404]);
      expect(ports()).toEqual([shared, shared]);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'report summed counts, without those of killed workers',
    async () => {
      await start();
      const slow: Promise<unknown>[] = [];
      const requestSlowly = (times: number) => {
        for (let index = 0; index < times; index += 1) slow.push(request(`${url}/slow`).catch(() => undefined));
      };
      requestSlowly(4);
      await waitFor(async () => (await underWay()) === 4, PATIENCE);
      const [active] = await balancer.workers();

      process.kill(active!, 'SIGKILL');
      await untilDead(active!);
      requestSlowly(5);
      await balancer.workers(active);
      requestSlowly(6);

      await waitFor(async () => (await underWay()) === 11, PATIENCE);
      await balancer.client.switchTo(SERVICE, [], 2);
      expect(await balancer.client.drain(SERVICE, ['one'], 0)).toBe(11);
      await Promise.all(slow);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'keep what they count while there is no main process',
    async () => {
      await start();
      let bytes = 0;
      const take = () =>
        balancer.client.takeTraffic(async services => {
          for (const service of services) bytes += service.bytes;
        });
      await request(url);
      await take();
      const first = bytes;
      expect(first).toBeGreaterThan(5_000);

      const before = balancer.readyCount;
      process.kill(balancer.mainProcess, 'SIGKILL');
      await untilDead(balancer.mainProcess);
      await request(url);
      await balancer.untilReady(before + 1);
      await take();

      expect(bytes).toBe(2 * first);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'are replaced if they do not respond to the main process',
    async () => {
      await start();
      const [worker] = await balancer.workers();

      process.kill(worker!, 'SIGSTOP');
      await untilDead(worker!);

      await balancer.workers(worker);
      expect((await request(url)).status).toBe(200);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'accept queued connections and finish them when they are stopped',
    async () => {
      await start();
      const connections = new SteadyConnections(url, 8);
      const [worker] = await balancer.workers();
      await connections.exposedTo(async () => {
        process.kill(worker!, 'SIGTERM');
        await untilDead(worker!);
      });
      await balancer.workers(worker);
      await connections.stop();

      expect(connections.failures).toEqual([]);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'are replaced if the next main process has other settings',
    async () => {
      await start();
      const before = await balancer.workers();
      const webSocket = await EchoClient.connect(url);

      balancer.environment['POSTERN_PLATFORM_BALANCER_IDLE_TIMEOUT_MS'] = '200000';
      const connections = new SteadyConnections(url, 4);
      await connections.exposedTo(killMain);
      await connections.stop();

      await Promise.all(before.map(untilDead));
      expect(connections.failures).toEqual([]);
      expect(await webSocket.closed).toBe(1001);
      expect((await request(url)).status).toBe(200);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'share no port with the load balancer of another home',
    async () => {
      await start();
      const other = await SupervisedBalancer.start();
      try {
        expect(await other.client.reserve(SERVICE, 'shop')).not.toBe(url);
      } finally {
        await other.stop();
      }
    },
    TEST_TIMEOUT_MS,
  );

  it.each([false, true])(
    'share no port with another process, even one that sets SO_REUSEPORT: %s',
    async reusePort => {
      await start();
      await balancer.halt();
      const stranger = createServer((_incoming, response) => response.end('stranger'));
      const taken = { port: Number(new URL(url).port), host: '127.0.0.1', reusePort };
      await new Promise<void>(resolve => stranger.listen(taken, resolve));

      await balancer.resume();

      const moved = await balancer.client.reserve(SERVICE, 'shop');
      expect(moved).not.toBe(url);
      expect((await request(moved)).body).toHaveLength(5_000);
      expect((await request(url)).body).toBe('stranger');
      stranger.close();
    },
    TEST_TIMEOUT_MS,
  );
});
