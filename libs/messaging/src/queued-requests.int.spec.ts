import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { queueNameOf, queueSubjectOf, requestsOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import { currentContext } from './context.js';
import { TemporarilyUnavailable } from './faults.js';
import { FRAME_VERSION } from './frames.js';
import { suitableManager } from './jetstream/jetstream-manager.js';
import { RequestQueue } from './jetstream/request-queue.js';
import type { PosternServer } from './server/postern-server.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';
import { traceWith } from './tracing.js';

const request = requestsOf('email-send', ['api-gateway']);
const note = request('note', { request: z.object({ n: z.int() }), reply: z.null(), queued: true });
const unqueued = request('unqueued', { request: z.object({ n: z.int() }), reply: z.null() });

const RECORDED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const noted: number[] = [];
let correlationId: string | undefined;
let failure: Error | undefined;
let attempts = 0;

const notes = (server: PosternServer): void =>
  server.handle(note, ({ n }) => {
    attempts += 1;
    if (failure) throw failure;
    noted.push(n);
    correlationId = currentContext()?.correlationId;
  });

describe('A request in the queue of a service', () => {
  let nats: TestNats;
  let link: NatsLink;
  let queue: RequestQueue;
  let service: TinyService | undefined;
  const errors: string[] = [];
  const log = {
    info() {},
    warn() {},
    error: (_fields: object, message: string) => void errors.push(message),
  };

  const serve = async () => {
    service = await startTinyService(nats.url, notes, { log });
  };
  const stop = async () => {
    await service?.stop();
    service = undefined;
  };
  const add = (n: number) => queue.add(note, { n }, { correlationId: `c-${n}` });
  const untilQueueExists = () =>
    waitFor(async () => (await suitableManager(link)).streams.info(queueNameOf('email-send')), {
      describe: 'the queue to be created',
    });
  const waiting = async () => (await (await suitableManager(link)).streams.info(queueNameOf('email-send'))).state;

  beforeEach(async () => {
    noted.length = 0;
    errors.length = 0;
    failure = undefined;
    attempts = 0;
    nats = await startNats();
    link = await connectNats({ servers: nats.url, name: 'caller' });
    queue = new RequestQueue(link);
    await serve();
    await untilQueueExists();
  });

  afterEach(async () => {
    await stop();
    await link.close();
    await nats.stop();
  });

  it('is handled in its context, and removed', async () => {
    await add(1);
    await waitFor(async () => noted.length === 1 && (await waiting()).messages === 0);
    expect([noted, correlationId]).toEqual([[1], 'c-1']);
  });

  it('continues the trace of its caller', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    traceWith({ tracer: provider.getTracer('spec'), ratio: 1 });
    try {
      await queue.add(note, { n: 1 }, { correlationId: 'c-1', traceparent: RECORDED });
      await waitFor(() => exporter.getFinishedSpans().length > 0);
      expect(exporter.getFinishedSpans()).toMatchObject([
        { name: 'process email-send/note', parentSpanContext: { spanId: 'b7ad6b7169203331' } },
      ]);
    } finally {
      traceWith(undefined);
    }
  });

  it('waits while the service is unavailable', async () => {
    await stop();
    for (const n of [1, 2, 3]) await add(n);
    await serve();
    await waitFor(() => noted.length === 3);
    expect(noted.toSorted()).toEqual([1, 2, 3]);
  });

  it('survives a crash of NATS', async () => {
    await stop();
    await add(1);
    await nats.kill();
    await nats.restart();
    await serve();
    await waitFor(() => noted.length === 1);
  });

  it('is handled after NATS has lost the end of the queue but kept the position of its consumer', async () => {
    const storeDir = await mkdtemp(join(tmpdir(), 'postern-queue-'));
    const damaged = await startNats({ storeDir });
    const caller = await connectNats({ servers: damaged.url, name: 'caller' });
    const own = new RequestQueue(caller);
    const addTo = (n: number) => own.add(note, { n }, { correlationId: `c-${n}` });
    let replica = await startTinyService(damaged.url, notes, { log });
    await waitFor(() => addTo(0).then(() => true));
    for (let n = 1; n <= 200; n++) await addTo(n);
    await waitFor(() => noted.length === 201);
    await replica.stop();
    await damaged.kill();
    const files = await readdir(storeDir, { recursive: true });
    const blocks = files.filter(file => file.includes('-queue/msgs/'));
    expect(blocks).not.toEqual([]);
    for (const file of blocks) await rm(join(storeDir, file));
    await damaged.restart();
    replica = await startTinyService(damaged.url, notes, { log });
    await waitFor(() => addTo(1_000).then(() => true), { timeoutMs: 15_000 });
    await waitFor(() => noted.includes(1_000), { timeoutMs: 15_000, describe: 'the request after the loss' });
    await replica.stop();
    await caller.close();
    await damaged.stop();
    await rm(storeDir, { recursive: true, force: true });
  }, 60_000);

  it('is handled once by several replicas', async () => {
    const replica = await startTinyService(nats.url, notes);
    await Promise.all(Array.from({ length: 50 }, (_, n) => add(n)));
    await waitFor(() => noted.length >= 50);
    await replica.stop();
    expect(noted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('is retried after an error', async () => {
    failure = new TemporarilyUnavailable('no database', { maybeExecuted: false });
    await add(1);
    await waitFor(() => attempts === 1);
    failure = undefined;
    await waitFor(() => noted.length === 1);
    expect(errors).toEqual([]);
  });

  it('goes to another replica when the service stops', async () => {
    failure = new TemporarilyUnavailable('no database', { maybeExecuted: false });
    await add(1);
    await waitFor(() => attempts === 1);
    await stop();
    failure = undefined;
    await serve();
    // After at most 30 seconds, if NATS did not receive the negative acknowledgement of this replica.
    await waitFor(() => noted.length === 1, { timeoutMs: 40_000 });
  }, 60_000);

  it.each([
    ['no JSON', 'x'],
    ['no frame', '{}'],
    ['another version', JSON.stringify({ v: 99, i: '1', w: 1, c: { correlationId: 'c' }, p: { n: 1 } })],
    ['a wrong payload', JSON.stringify({ v: 1, i: '1', w: 1, c: { correlationId: 'c' }, p: { n: 'one' } })],
  ])('is rejected permanently if it is malformed: %s', async (_, data) => {
    link.nc.publish(queueSubjectOf(note), data);
    await add(2);
    await waitFor(async () => noted.length === 1 && (await waiting()).messages === 0);
    expect(noted).toEqual([2]);
  });

  it('is refused if a stream of another service has sent it', async () => {
    const jsm = await suitableManager(link);
    const republish = { src: 'elsewhere', dest: queueSubjectOf(note) };
    await jsm.streams.add({ name: 'elsewhere', subjects: ['elsewhere'], republish });
    const forged = { v: FRAME_VERSION, i: 'forged', w: 1_000, c: { correlationId: 'forged' }, p: { n: 1 } };
    await jsm.jetstream().publish('elsewhere', JSON.stringify(forged));
    await waitFor(async () => (await waiting()).last_seq === 1);
    await add(2);
    await waitFor(async () => noted.includes(2) && (await waiting()).messages === 0);
    expect(noted).toEqual([2]);
  });

  it('is refused if it is not declared as queueable', async () => {
    await expect(queue.add(unqueued, { n: 1 }, { correlationId: 'c' })).rejects.toThrow('may be queued');
  });

  it('is not accepted while the queue is full, and the caller gets an error', async () => {
    await stop();
    const jsm = await suitableManager(link);
    await jsm.streams.update(queueNameOf('email-send'), { max_bytes: 300 });
    await add(1);
    await expect(add(2)).rejects.toThrow('postern-email-send-queue accepts no request');
    await serve();
    await waitFor(() => noted.length === 1);
    await add(3);
    await waitFor(() => noted.length === 2);
  });

  it('is not accepted while there is no queue or no NATS, and the caller gets an error', async () => {
    await stop();
    await (await suitableManager(link)).streams.delete(queueNameOf('email-send'));
    await expect(add(1)).rejects.toThrow('no stream stores messages');
    await nats.kill();
    await waitFor(() => !link.connected);
    await expect(add(2)).rejects.toThrow('NATS is unavailable');
  });

  it('finds a queue again after NATS lost its storage', async () => {
    await add(0);
    await waitFor(() => noted.length === 1);
    await (await suitableManager(link)).streams.delete(queueNameOf('email-send'));
    await untilQueueExists();
    await waitFor(async () => {
      await add(1);
      return noted.includes(1);
    });
  }, 60_000);
});
