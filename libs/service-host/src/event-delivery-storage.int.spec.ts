import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startNats, waitFor } from '@postern/testing';
import { EventDelivery } from './testing/event-delivery-fixture.js';

describe.each(['2.9', '2.12'] as const)('With little storage at nats-server %s, an event', version => {
  const delivery = new EventDelivery(version);
  let dir: string;
  const allow = (size: string) => writeFile(join(dir, 'delivery.nats.conf'), `jetstream { max_file_store: ${size} }\n`);

  beforeEach(async () => {
    await delivery.nats.stop();
    dir = await mkdtemp(join(tmpdir(), 'postern-small-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const restartWith = async (size: string) => {
    await allow(size);
    await delivery.nats.kill();
    await delivery.nats.restart();
  };

  it('is published through a smaller stream, which grows once storage is available', async () => {
    await allow('100MB');
    delivery.nats = await startNats({ version, args: ['-c', join(dir, 'delivery.nats.conf')] });
    const sizes: object[] = [];
    await delivery.startRelay({ onSmaller: size => sizes.push(size) });
    await delivery.startConsumer();
    await delivery.append(1, 10);
    await delivery.takenAll(10);
    expect((await delivery.streamInfo()).config.max_bytes).toBe(64 * 1024 ** 2);
    expect(sizes).toEqual([{ bytes: 64 * 1024 ** 2, wanted: 1024 ** 3 }]);
    await restartWith('2GB');
    await delivery.append(11, 20);
    await delivery.takenAll(20);
    await waitFor(async () => (await delivery.streamInfo()).config.max_bytes === 1024 ** 3, {
      describe: 'a larger stream',
    });
  });

  it('waits while there is no storage, and the blockage is reported until there is some', async () => {
    await allow('8MB');
    delivery.nats = await startNats({ version, args: ['-c', join(dir, 'delivery.nats.conf')] });
    const operations = await delivery.startOperations(await delivery.startRelay());
    await delivery.startConsumer();
    await delivery.append(1, 10);
    await waitFor(async () => (await delivery.relay?.status())?.blockage?.condition === 'no_storage', {
      describe: 'no storage',
    });
    expect((await operations.outbox()).outbox?.blocked?.reason).toContain('NATS has no storage for the stream');
    expect(delivery.taken.size).toBe(0);
    await restartWith('2GB');
    await delivery.takenAll(10);
    await waitFor(async () => (await delivery.relay?.status())?.blockage === undefined, {
      describe: 'the blockage to end',
    });
  });
});
