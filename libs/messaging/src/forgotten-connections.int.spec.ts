import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { startNats, startSilencingProxy, type TestNats, waitFor } from '@postern/testing';
import { connectNats, type NatsLink } from './connection.js';

const HEALED_WITHIN_MS = 30_000;
const REQUESTS = 20;
const SETTINGS = join(
  import.meta.dirname,
  '../../../tools/one-server/src/rendering/golden/etc__postern__rendered__nats.conf',
);

let nats: TestNats;
const links: NatsLink[] = [];

afterEach(async () => {
  for (const link of links) await link.close();
  await nats.stop();
});

const connect = async (servers: string, pingIntervalMs?: number) => {
  const link = await connectNats({ servers, name: 'spec', pingIntervalMs });
  links.push(link);
  return link;
};

it('no request goes to a connection that the network forgot, 30 s after the service has connected again', async () => {
  const conf = join(await mkdtemp(join(tmpdir(), 'postern-nats-conf-')), 'nats.conf');
  const pings = (await readFile(SETTINGS, 'utf8')).match(/^ping_.*$/gm) ?? [];
  await writeFile(conf, `${pings.join('\n')}\n`);
  nats = await startNats({ args: ['-c', conf] });
  const proxy = await startSilencingProxy(nats.url);
  const service = await connect(proxy.url, 500);
  service.nc.subscribe('work', { queue: 'service', callback: (_, message) => void message.respond('done') });
  const caller = await connect(nats.url);

  const silencedAt = performance.now();
  proxy.silence({ withNew: true });
  const until = { timeoutMs: HEALED_WITHIN_MS };
  await waitFor(() => !service.connected, { ...until, describe: 'the service to notice' });
  proxy.heal();
  await waitFor(() => service.connected, { ...until, describe: 'the service to connect again' });
  const answered = async () => {
    for (let request = 0; request < REQUESTS; request += 1)
      await caller.nc.request('work', undefined, { timeout: 500 });
    return true;
  };
  await waitFor(() => answered().catch(() => false), {
    timeoutMs: 2 * HEALED_WITHIN_MS,
    describe: 'all requests to be answered',
  });
  expect(performance.now() - silencedAt).toBeLessThan(HEALED_WITHIN_MS);
  await proxy.stop();
}, 90_000);
