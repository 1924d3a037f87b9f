import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AckPolicy, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { requestsOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import fc from 'fast-check';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import { onReplyReceived } from './context.js';
import type { Log } from './log.js';
import { RequestClient } from './request-client.js';
import type { PosternServer } from './server/postern-server.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';

const request = requestsOf('email-send');
const greet = request('greet', { request: z.object({ name: z.string() }), reply: z.object({ greeting: z.string() }) });

const foreign = request('foreign', { request: z.object({ answer: z.looseObject({}) }), reply: z.number() });

let confirmed = 0;
const greetedNames: string[] = [];

const answers = (server: PosternServer): void =>
  server.handle(greet, ({ name }) => {
    greetedNames.push(name);
    onReplyReceived(() => {
      confirmed += 1;
    });
    return { greeting: `Hello, ${name}` };
  });

const logged: { fields: object; message: string }[] = [];
const note = (fields: object, message: string) => logged.push({ fields, message });
const log: Log = { info() {}, warn: note, error: note };

const hostileFrame = fc.record(
  {
    v: fc.oneof(fc.constant(1), fc.constant(2), fc.jsonValue()),
    i: fc.oneof(fc.string(), fc.jsonValue()),
    w: fc.oneof(fc.double(), fc.integer(), fc.jsonValue()),
    d: fc.oneof(fc.double(), fc.jsonValue()),
    c: fc.oneof(fc.record({ correlationId: fc.string() }), fc.jsonValue()),
    p: fc.oneof(fc.record({ name: fc.string() }), fc.jsonValue()),
    ok: fc.jsonValue(),
    fault: fc.jsonValue(),
    busy: fc.jsonValue(),
    refusal: fc.oneof(fc.record({ code: fc.string(), message: fc.jsonValue() }), fc.jsonValue()),
    a: fc.oneof(fc.integer(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const hostileData = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  fc.json().map(text => Buffer.from(text)),
  fc.array(hostileFrame, { maxLength: 3 }).map(frames => Buffer.from(JSON.stringify(frames))),
);

describe('An unexpected message', () => {
  let nats: TestNats;
  let service: TinyService;
  let link: NatsLink;
  let client: RequestClient;

  const greeted = () => expect(client.request(greet, { name: 'Ada' })).resolves.toEqual({ greeting: 'Hello, Ada' });

  /** Subjects with messages during the work. */
  const seen = async (pattern: string, work: () => Promise<void>) => {
    const subjects = new Set<string>();
    const before = confirmed;
    const tap = link.nc.subscribe(pattern, { callback: (_error, { subject }) => void subjects.add(subject) });
    await work();
    await waitFor(() => confirmed > before);
    tap.unsubscribe();
    return [...subjects];
  };

  /** The reply to handwritten frames. */
  const replyTo = async (frames: object[]) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const tap = link.nc.subscribe('_INBOX.person.*', { callback: (_error, message) => resolve(message.json()) });
    link.nc.publish(greet.subject, JSON.stringify(frames), { reply: '_INBOX.person.1' });
    return promise.finally(() => tap.unsubscribe());
  };

  beforeAll(async () => {
    nats = await startNats();
    service = await startTinyService(nats.url, answers, { log });
    link = await connectNats({ servers: nats.url, name: 'caller', log });
    client = new RequestClient(link);
  });

  afterAll(async () => {
    client?.close();
    await service?.stop();
    await link?.close();
    await nats?.stop();
  });

  it('as a request does not keep the service from answering the next one', async () => {
    const hostile = fc.asyncProperty(
      hostileData,
      fc.constantFrom(undefined, '_INBOX.stranger.1', 'stranger.1', greet.subject),
      async (data, reply) => {
        link.nc.publish(greet.subject, data, reply ? { reply } : {});
        await greeted();
      },
    );
    await fc.assert(hostile, { numRuns: 300 });
  });

  it('that JetStream delivers for another service is not a request', async () => {
    const jsm = await jetstreamManager(link.nc);
    await jsm.streams.add({ name: 'STORED', subjects: ['stored'], storage: StorageType.Memory });
    const frame = { v: 1, i: 'a', w: 5_000, c: { correlationId: 'c' }, p: { name: 'Mallory' } };
    await jsm.jetstream().publish('stored', JSON.stringify([frame]));
    const before = greetedNames.length;
    for (const ack_policy of [AckPolicy.None, AckPolicy.Explicit])
      await jsm.consumers.add('STORED', { deliver_subject: greet.subject, ack_policy });
    await jsm.consumers.add('STORED', { durable_name: 'pull', ack_policy: AckPolicy.Explicit });
    link.nc.publish('$JS.API.CONSUMER.MSG.NEXT.STORED.pull', '1', { reply: greet.subject });
    await waitFor(async () => (await jsm.consumers.info('STORED', 'pull')).delivered.stream_seq === 1);
    await greeted();
    expect(greetedNames.slice(before)).toEqual(['Ada']);
    await jsm.streams.delete('STORED');
  });

  it('as a reply does not keep the next request from being answered', async () => {
    const inbox = (await seen('_INBOX.>', greeted)).find(subject => subject.endsWith('.r'))!;
    const hostile = fc.asyncProperty(hostileData, fc.constantFrom('r', '0', 'x'), async (data, token) => {
      link.nc.publish(`${inbox.slice(0, -1)}${token}`, data);
      await greeted();
    });
    await fc.assert(hostile, { numRuns: 100 });
  });

  it('as a confirmation does not keep the next one from arriving', async () => {
    const confirmations = (await seen('_INBOX.>', greeted)).find(subject => subject.includes('.confirmations.'))!;
    const hostile = fc.asyncProperty(hostileData, async data => {
      link.nc.publish(confirmations, data);
      const before = confirmed;
      await greeted();
      await waitFor(() => confirmed > before);
    });
    await fc.assert(hostile, { numRuns: 50 });
  });

  it('sent by hand is answered with a readable explanation', async () => {
    const answer = await link.nc.request(greet.subject, '{}');
    expect(answer.json()).toEqual([
      { v: 1, i: '', fault: expect.stringContaining('not a JSON array of frames'), executed: false },
    ]);
    const newer = { v: 2, i: 'a', w: 1_000, c: { correlationId: 'c' }, p: { name: 'Ada' } };
    const toNewer = await replyTo([newer]);
    expect(toNewer).toEqual([{ v: 1, i: 'a', fault: expect.stringContaining('version 2'), executed: false }]);
  });

  it('is logged once per kind and without its content', async () => {
    await waitFor(() => logged.length > 0);
    const places = logged.map(({ fields }) => (fields as { where: string }).where);
    expect(places.toSorted()).toEqual([greet.subject, 'replies', 'reply confirmations'].toSorted());
  });

  it('without a version or of a later one is refused, in both directions', async () => {
    const bare = { i: 'a', w: 1_000, c: { correlationId: 'c' }, p: { name: 'Ada' } };
    await expect(replyTo([bare])).resolves.toMatchObject([
      { i: 'a', fault: expect.stringContaining('v (the version)') },
    ]);
    const service = link.nc.subscribe(foreign.subject, {
      callback: (_error, message) => {
        const [{ i, p }] = message.json<[{ i: string; p: { answer: object } }]>();
        message.respond(JSON.stringify([{ i, ...p.answer }]));
      },
    });
    const send = (answer: Record<string, unknown>) => client.request(foreign, { answer });
    await expect(send({ v: 1, ok: 7 })).resolves.toBe(7);
    await expect(send({ ok: 7 })).rejects.toThrow('v (the version)');
    await expect(send({ v: 2, anything: 'new' })).rejects.toThrow('version 2');
    service.unsubscribe();
  });
});
