import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startNats, type TestNats } from '@postern/testing';
import { connectNats, type NatsLink } from '../connection.js';
import { silentLog } from '../log.js';
import { DurableReader } from './durable-reader.js';
import { ensureStream, queueConfig } from './queue-stream.js';

describe('A reader of a stream', () => {
  let nats: TestNats;
  let link: NatsLink;

  beforeAll(async () => {
    nats = await startNats();
    link = await connectNats({ servers: nats.url, name: 'reader' });
  });

  afterAll(async () => {
    await link.close();
    await nats.stop();
  });

  it('that is stopped while it starts does not wait for the heartbeats of NATS', async () => {
    const stopping = new AbortController();
    const { name: stream } = queueConfig('email-send');
    const reader = new DurableReader({
      ...{ link, log: silentLog, stream, durable: 'requests', batchSize: 1, maxAckPending: 1 },
      stopping: stopping.signal,
      open: jsm => ensureStream(jsm, queueConfig('email-send')),
      begin: () => queueMicrotask(() => stopping.abort()),
      take: message => message.ack(),
    });
    reader.start();
    const outcome = await Promise.race([reader.finish().then(() => 'stopped'), delay(5_000, 'waits')]);
    expect(outcome).toBe('stopped');
  });
});
