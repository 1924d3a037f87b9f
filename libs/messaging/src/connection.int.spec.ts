import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { connectNats, type NatsLink } from './connection.js';
import { type StallingProxy, startStallingProxy } from './testing/stalling-proxy.js';

const credentials = { user: 'postern', password: 'secret', clearText: true };

describe('A connection', () => {
  let nats: TestNats;
  let proxy: StallingProxy;
  let link: NatsLink | undefined;

  const connected = async (pingIntervalMs?: number) => {
    link = await connectNats({ servers: proxy.url, name: 'spec', ...credentials, pingIntervalMs });
    return link;
  };

  beforeEach(async () => {
    const conf = join(await mkdtemp(join(tmpdir(), 'postern-nats-conf-')), 'nats.conf');
    await writeFile(conf, 'authorization { user: postern, password: secret, timeout: 0.2 }\n');
    nats = await startNats({ args: ['-c', conf] });
    proxy = await startStallingProxy(nats.url);
  });

  afterEach(async () => {
    process.kill(nats.pid, 'SIGCONT');
    await link?.close();
    await proxy.stop();
    await nats.stop();
  });

  it('recovers after any number of authentication time-outs', async () => {
    const { nc } = await connected();
    for (let round = 1; round <= 3; round += 1) {
      proxy.stallNext();
      await nats.restart();
      await waitFor(() => link!.closed || (proxy.stalled === round && link!.connected));
      expect({ closed: link!.closed, stalled: proxy.stalled }).toEqual({ closed: false, stalled: round });
      await waitFor(() => link!.roundTrip(2_000).then(() => true));
    }
    expect(nc.isClosed()).toBe(false);
  });

  it('detects a stalled server, and recovers with it', async () => {
    await connected(50);
    process.kill(nats.pid, 'SIGSTOP');
    await waitFor(() => !link!.connected, { describe: 'the stall to be detected' });
    await expect(link!.roundTrip(1_000)).rejects.toThrow('disconnected');
    process.kill(nats.pid, 'SIGCONT');
    await waitFor(() => link!.connected, { describe: 'the connection to recover' });
    await link!.roundTrip(2_000);
  });

  it('fails a round trip to a stalled server, although it is connected', async () => {
    await connected();
    process.kill(nats.pid, 'SIGSTOP');
    // The signal may take effect with a delay.
    const refused = () => link!.roundTrip(200).catch((error: Error) => error.message);
    await waitFor(async () => (await refused()) === 'no reply within 200 ms');
    expect(link!.connected).toBe(true);
    process.kill(nats.pid, 'SIGCONT');
    await link!.roundTrip(2_000);
  });

  it('reports that it was closed unexpectedly', async () => {
    const { nc, lost } = await connected();
    await nc.close();
    await expect(lost).resolves.toMatchObject({ message: 'the connection to NATS was closed' });
  });

  it('is not lost when it was closed on purpose', async () => {
    const { lost } = await connected();
    await link!.close();
    const settled = await Promise.race([lost, new Promise(resolve => setImmediate(resolve, 'not lost'))]);
    expect(settled).toBe('not lost');
  });

  it('rejects a wrong password at once', async () => {
    const wrong = connectNats({ servers: nats.url, name: 'spec', ...credentials, password: 'wrong' });
    await expect(wrong).rejects.toThrow(/authorization violation/i);
  });
});
