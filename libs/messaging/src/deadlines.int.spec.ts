import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { requestsOf } from '@postern/contracts';
import { startNats, type TestNats, waitFor } from '@postern/testing';
import { z } from 'zod';
import { connectNats, type NatsLink } from './connection.js';
import { onReplyReceived, requestDeadline, runInContext } from './context.js';
import { TemporarilyUnavailable } from './faults.js';
import type { Log } from './log.js';
import { RequestClient } from './request-client.js';
import type { PosternServer } from './server/postern-server.js';
import { startTinyService, type TinyService } from './testing/tiny-service.js';

const request = requestsOf('email-send');
const remaining = request('remaining', { request: z.object({}), reply: z.number() });
const occupy = request('occupy', { request: z.object({}), reply: z.null(), deadlineMs: 20_000 });
const count = request('count', { request: z.object({}), reply: z.number() });
const full = request('full', { request: z.object({ begun: z.boolean() }), reply: z.null() });
const broken = request('broken', { request: z.object({}), reply: z.null() });
const confirmed = request('confirmed', { request: z.object({ name: z.string() }), reply: z.null() });

let release: () => void = () => {};
let counted = 0;
const received: string[] = [];

const answers = (server: PosternServer): void => {
  server.handle(remaining, () => runInContext({ correlationId: 'inner' }, () => requestDeadline()!.remainingMs()));
  server.handle(occupy, async () => {
    await new Promise<void>(resolve => (release = resolve));
  });
  server.handle(count, () => {
    counted += 1;
    return counted;
  });
  server.handle(full, ({ begun }) => {
    throw new TemporarilyUnavailable('the disk is full', { maybeExecuted: begun, retryAfterS: 30 });
  });
  server.handle(broken, () => {
    throw Object.assign(new Error('no space left'), { code: '53100' });
  });
  server.handle(confirmed, async ({ name }) => {
    onReplyReceived(() => {
      received.push(name);
      throw new Error('of a callback');
    });
    if (name === 'late') await new Promise<void>(resolve => (release = resolve));
  });
};

const logged: { level: string; fields: object; message: string }[] = [];
const note = (level: string) => (fields: object, message: string) => logged.push({ level, fields, message });
const log: Log = { info() {}, warn: note('warn'), error: note('error') };
const messages = () => logged.map(({ message }) => message);

describe('A request', () => {
  let nats: TestNats;
  let service: TinyService;
  let link: NatsLink;
  let client: RequestClient;

  beforeAll(async () => {
    nats = await startNats();
    service = await startTinyService(nats.url, answers, {
      log,
      concurrency: 1,
      asUnavailable: error =>
        error instanceof Error && 'code' in error && error.code === '53100'
          ? new TemporarilyUnavailable('PostgreSQL: disk full', { maybeExecuted: true, cause: error })
          : undefined,
    });
    link = await connectNats({ servers: nats.url, name: 'caller', log });
    client = new RequestClient(link);
  });

  afterEach(() => {
    logged.length = 0;
  });

  afterAll(async () => {
    client?.close();
    await service?.stop();
    await link?.close();
    await nats?.stop();
  });

  it('passes the deadline of the caller to its handler', async () => {
    const left = await client.request(remaining, {}, { deadlineMs: 10_000, deadlineAt: Date.now() + 4_000 });
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(4_000);
    expect(requestDeadline()).toBeUndefined();
  });

  it('is not sent after its deadline', async () => {
    const late = client.request(count, {}, { deadlineAt: Date.now() - 1 });
    await expect(late).rejects.toMatchObject({ reason: 'expired', maybeExecuted: false });
    expect(counted).toBe(0);
  });

  it('is not executed when its deadline passed in the queue, and the caller gets a reply', async () => {
    const holding = client.request(occupy, {});
    const inTurn = client.request(count, {}, { deadlineMs: 10_000 });
    // Simulates a suspended caller: its timer has not fired, but the deadline that it sent has passed.
    const jumped = Date.now;
    Date.now = () => jumped() - 9_900;
    const late = client.request(count, {}, { deadlineMs: 10_000 });
    Date.now = jumped;
    const deadline = jumped() + 100;
    await waitFor(() => Date.now() > deadline);
    release();
    await expect(late).rejects.toMatchObject({ reason: 'expired', maybeExecuted: false });
    await expect(inTurn).resolves.toBe(1);
    await holding;
  });

  it.each([-25, -1, 1, 25])('is answered whatever the clock of its caller says: %d hours ahead', async hours => {
    const other = new RequestClient(link);
    for (let repeated = 0; repeated < 3; repeated += 1) {
      const clock = Date.now;
      Date.now = () => clock() + hours * 3_600_000;
      const left = other.request(remaining, {}, { deadlineMs: 5_000 });
      Date.now = clock;
      expect(await left).toBeLessThanOrEqual(5_000);
    }
    other.close();
    expect(messages()).toEqual([]);
  });

  it.each([true, false])('that fails temporarily reports the failure, and whether it was started: %s', async begun => {
    await expect(client.request(full, { begun })).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      reason: 'unavailable',
      maybeExecuted: begun,
      retryAfterS: 30,
    });
    expect(logged).toMatchObject([{ level: 'warn', message: 'A request failed temporarily' }]);
  });

  it('that fails because of the infrastructure is not logged as a bug', async () => {
    const failed = client.request(broken, {});
    await expect(failed).rejects.toMatchObject({ reason: 'unavailable', maybeExecuted: true });
    expect(logged).toMatchObject([{ level: 'warn' }]);
  });

  it('that does not match its contract is reported as not executed', async () => {
    const malformed = { begun: 7 } as unknown as { begun: boolean };
    await expect(client.request(full, malformed)).rejects.toMatchObject({ name: 'RemoteFault', maybeExecuted: false });
  });

  it('receives the confirmation of its reply; a failing callback does no harm', async () => {
    await client.request(confirmed, { name: 'Ada' });
    await waitFor(() => received.includes('Ada'));
    await expect(client.request(confirmed, { name: 'Grace' })).resolves.toBeNull();
    await waitFor(() => received.includes('Grace'));
    expect(received).toEqual(['Ada', 'Grace']);
    expect(logged).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ where: 'onReplyReceived' }) }),
    );
  });

  it('receives no confirmation when its caller gave up', async () => {
    await expect(client.request(confirmed, { name: 'late' }, { deadlineMs: 100 })).rejects.toMatchObject({
      reason: 'timeout',
    });
    release();
    await client.request(confirmed, { name: 'afterwards' });
    await waitFor(() => received.includes('afterwards'));
    expect(received).not.toContain('late');
  });
});
