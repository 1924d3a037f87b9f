import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Refusal, requestsOf } from '@postern/contracts';
import { freePort, startNats, type TestNats } from '@postern/testing';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import { currentContext } from './context.js';
import { PayloadTooLarge, RemoteFault, ServiceUnavailable } from './faults.js';
import type { Log } from './log.js';
import { RequestClient } from './request-client.js';
import type { PosternServer } from './server/postern-server.js';
import { startRoomyNats } from './testing/nats-conf.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';

const request = requestsOf('email-send');
const greet = request('greet', { request: z.object({ name: z.string() }), reply: z.object({ greeting: z.string() }) });
const refuse = request('refuse', { request: z.object({}), reply: z.null(), refusals: { quota_exceeded: 429 } });
const fail = request('fail', { request: z.object({}), reply: z.null() });
const hang = request('hang', { request: z.object({}), reply: z.null(), deadlineMs: 150 });
const context = request('context', {
  request: z.object({}),
  reply: z.object({ correlationId: z.string(), traceparent: z.string(), actor: z.string() }),
});
const measure = request('measure', {
  request: z.object({ body: z.string() }),
  reply: z.object({ length: z.number() }),
});
const gate = request('gate', { request: z.object({ wait: z.boolean() }), reply: z.boolean() });
const unserved = request('unserved', { request: z.object({}), reply: z.null() });

let release: () => void = () => {};

const answers = (server: PosternServer): void => {
  server.handle(greet, ({ name }) => ({ greeting: `Hello, ${name}` }));
  server.handle(refuse, () => {
    throw new Refusal('quota_exceeded', 'no more today', { retry_after_s: 60 });
  });
  server.handle(fail, () => {
    throw new TypeError('the password is swordfish');
  });
  server.handle(hang, () => new Promise<null>(() => {}));
  server.handle(context, () => {
    const { correlationId, traceparent, actor } = currentContext()!;
    return { correlationId, traceparent: traceparent!, actor: actor! };
  });
  server.handle(measure, ({ body }) => ({ length: body.length }));
  server.handle(gate, async ({ wait }) => {
    if (wait) await new Promise<void>(resolve => (release = resolve));
    return wait;
  });
};

const logged: { fields: object; message: string }[] = [];
const log: Log = { info() {}, warn() {}, error: (fields, message) => logged.push({ fields, message }) };

describe.each(['2.9', '2.12'] as const)('A request over nats-server %s', version => {
  let nats: TestNats;
  let service: TinyService;
  let link: NatsLink;
  let client: RequestClient;

  beforeAll(async () => {
    nats = await startRoomyNats(version);
    service = await startTinyService(nats.url, answers, { log });
    link = await connectNats({ servers: nats.url, name: 'caller' });
    client = new RequestClient(link);
  });

  afterAll(async () => {
    client?.close();
    await service?.stop();
    await link?.close();
    await nats?.stop();
  });

  it('is answered with the reply of its contract', async () => {
    await expect(client.request(greet, { name: 'Ada' })).resolves.toEqual({ greeting: 'Hello, Ada' });
  });

  it('arrives with the fields that its caller received as JSON', async () => {
    const name = Buffer.from('\n "Gr\\u00fc\\u00dfe, \\"Ada\\" 🎉" ');
    const greeting = { greeting: 'Hello, Grüße, "Ada" 🎉' };
    const all = [{ name }, {}].map(received => client.request(greet, { name: 'Grüße, "Ada" 🎉' }, { received }));
    await expect(Promise.all(all)).resolves.toEqual([greeting, greeting]);
  });

  it('is refused with the code, status, message and details of the service', async () => {
    const refusal = await client.request(refuse, {}).catch(error => error);
    expect(Refusal.is(refusal)).toBe(true);
    expect(refusal).toMatchObject({
      code: 'quota_exceeded',
      status: 429,
      message: 'no more today',
      details: { retry_after_s: 60 },
    });
  });

  it('that fails unexpectedly is a fault without the error message, which is logged with the correlation id', async () => {
    const fault = await client.request(fail, {}, { correlationId: 'c-1' }).catch(error => error);
    expect(fault).toBeInstanceOf(RemoteFault);
    expect(fault.message).toContain('c-1');
    expect(fault.message).not.toContain('swordfish');
    expect(
      logged.filter(entry => 'correlationId' in entry.fields && entry.fields.correlationId === 'c-1'),
    ).toHaveLength(1);
    logged.length = 0;
  });

  it('that does not match its contract is a fault that names the path', async () => {
    const malformed = { name: 7 } as unknown as { name: string };
    await expect(client.request(greet, malformed)).rejects.toThrow(/does not fit its contract: name/);
  });

  it('whose handler hangs ends at the deadline, with an unknown outcome', async () => {
    const error = await client.request(hang, {}).catch(reason => reason);
    expect(error).toBeInstanceOf(ServiceUnavailable);
    expect(error).toMatchObject({ reason: 'timeout', maybeExecuted: true });
  });

  it('without a service fails and is not executed', async () => {
    const error = await client.request(unserved, {}).catch(reason => reason);
    expect(error).toMatchObject({ name: 'ServiceUnavailable', reason: 'no_responders', maybeExecuted: false });
  });

  it('passes its correlation id, trace and actor to the handler', async () => {
    const caller = {
      correlationId: 'c-2',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      actor: 'user:1',
    };
    await expect(client.request(context, {}, caller)).resolves.toEqual(caller);
  });

  it('is answered as soon as its handler is done, independent of other requests in its message', async () => {
    const slow = client.request(gate, { wait: true });
    const quick = client.request(gate, { wait: false });
    await expect(quick).resolves.toBe(false);
    release();
    await expect(slow).resolves.toBe(true);
  });

  it('carries the largest email', async () => {
    const body = 'x'.repeat(10 * 1024 * 1024);
    await expect(client.request(measure, { body })).resolves.toEqual({ length: body.length });
  });

  it('that is too large for any message fails and is not sent', async () => {
    const error = await client.request(measure, { body: 'x'.repeat(17 * 1024 * 1024) }).catch(reason => reason);
    expect(error).toBeInstanceOf(PayloadTooLarge);
  });

  it('gets its own reply among thousands', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `n${index}`);
    const replies = await Promise.all(names.map(name => client.request(greet, { name })));
    expect(replies.map(({ greeting }) => greeting)).toEqual(names.map(name => `Hello, ${name}`));
  });

  it('fails while NATS is unavailable, and works again afterwards', async () => {
    await nats.kill();
    const error = await client.request(greet, { name: 'nobody' }, { deadlineMs: 20_000 }).catch(reason => reason);
    expect(error).toMatchObject({ name: 'ServiceUnavailable', reason: 'disconnected' });
    await nats.restart();
    const answered = async (): Promise<unknown> =>
      client
        .request(greet, { name: 'again' })
        .catch(() => new Promise(resolve => setImmediate(resolve, undefined)).then(answered));
    await expect(answered()).resolves.toEqual({ greeting: 'Hello, again' });
  });
});

it('A server with a too small max_payload is refused with the setting to change', async () => {
  const nats = await startNats({ port: await freePort() });
  await expect(connectNats({ servers: nats.url, name: 'caller', neededPayloadBytes: 16_777_216 })).rejects.toThrow(
    'set max_payload: 16777216 in nats-server.conf',
  );
  await nats.stop();
});
