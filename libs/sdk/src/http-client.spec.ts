import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConflictError, ConnectionError, InvalidRequestError, Postern, RateLimitError, ServerError } from './index.js';

const RECORD = { id: '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00', status: 'sent' };
const EMAIL = { from: 'a@example.com', to: 'b@example.com', subject: 'Hi', text: 'Hello' };

type Answer = { status: number; body?: object; headers?: Record<string, string> } | Error;

/** A client whose server gives these answers in turn, and what it received. */
const clientOf = (answers: readonly Answer[], apiKey = 'em_live_x') => {
  const left = [...answers];
  const received: { at: number; url: string; headers: Record<string, string>; body: unknown }[] = [];
  const postern = new Postern(apiKey, {
    baseUrl: 'https://postern.example.com/',
    fetch: async (url, { headers, body }) => {
      received.push({ at: Date.now(), url, headers, body: body === undefined ? undefined : JSON.parse(String(body)) });
      const answer = left.shift();
      if (!answer) throw new Error('There was one request too many');
      if (answer instanceof Error) throw answer;
      return new Response(JSON.stringify(answer.body ?? {}), answer);
    },
  });
  return { postern, received };
};

/** Lets a call finish without waiting for its pauses. */
const finished = async <Value>(call: Promise<Value>): Promise<Value> => {
  call.catch(() => {});
  await jest.advanceTimersByTimeAsync(600_000);
  return call;
};

const SENT: Answer = { status: 200, body: RECORD };
const BUSY: Answer = { status: 409, headers: { 'retry-after': '1', 'error-code': 'idempotency_key_in_flight' } };
const UNAVAILABLE: Answer = { status: 503, body: { error: 'Try again.' } };

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('sending an email', () => {
  it('posts the body with the key, and returns the record', async () => {
    const { postern, received } = clientOf([SENT]);
    expect(await finished(postern.emails.send(EMAIL))).toEqual(RECORD);
    expect(received).toMatchObject([
      {
        url: 'https://postern.example.com/emails',
        headers: { 'api-key': 'em_live_x', 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) },
        body: { ...EMAIL, to: ['b@example.com'] },
      },
    ]);
  });

  it('posts a batch with one key, and returns the outcome of each message', async () => {
    const outcomes = [
      { status: 200, email: RECORD },
      { status: 400, error: 'No.', error_code: 'invalid_email' },
    ];
    const { postern, received } = clientOf([{ status: 200, body: outcomes }]);
    const batch = [EMAIL, { ...EMAIL, cc: 'c@example.com' }];
    expect(await finished(postern.emails.sendBatch(batch, { idempotencyKey: 'news' }))).toEqual(outcomes);
    expect(received).toMatchObject([
      {
        url: 'https://postern.example.com/emails/batch',
        headers: { 'idempotency-key': 'news' },
        body: [{ to: ['b@example.com'] }, { to: ['b@example.com'], cc: ['c@example.com'] }],
      },
    ]);
  });

  it('retries 5xx after 1, 2, 4 and 8 seconds with the same idempotency key, and then reports the error', async () => {
    const { postern, received } = clientOf(Array(5).fill(UNAVAILABLE));
    await expect(finished(postern.emails.send(EMAIL))).rejects.toThrow(ServerError);
    const pauses = received.slice(1).map(({ at }, index) => at - received[index]!.at);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('waits at least as long as Retry-After requires', async () => {
    const { postern, received } = clientOf([{ status: 429, headers: { 'retry-after': '7' } }, SENT]);
    await finished(postern.emails.send(EMAIL));
    expect(received[1]!.at - received[0]!.at).toBe(7_000);
  });

  it('does not wait for a Retry-After of more than a minute', async () => {
    const { postern, received } = clientOf([
      { status: 429, headers: { 'retry-after': '3600', 'error-code': 'daily_limit_reached' } },
    ]);
    const failure = finished(postern.emails.send(EMAIL));
    await expect(failure).rejects.toBeInstanceOf(RateLimitError);
    await expect(failure).rejects.toMatchObject({ code: 'daily_limit_reached', retryAfterS: 3600, status: 429 });
    expect(received).toHaveLength(1);
  });

  it('retries a lost connection, and waits for the first attempt that is still in progress', async () => {
    const { postern, received } = clientOf([new TypeError('fetch failed'), BUSY, SENT]);
    expect(await finished(postern.emails.send(EMAIL))).toEqual(RECORD);
    expect(received).toHaveLength(3);
  });

  it.each([
    [400, InvalidRequestError],
    [409, ConflictError],
  ])('does not retry %s', async (status, ErrorClass) => {
    const { postern, received } = clientOf([{ status, body: { error: 'No.' }, headers: { 'x-request-id': 'r-1' } }]);
    const failure = finished(postern.emails.send(EMAIL, { idempotencyKey: 'order-1' }));
    await expect(failure).rejects.toBeInstanceOf(ErrorClass);
    await expect(failure).rejects.toMatchObject({ status, message: 'No.', requestId: 'r-1' });
    expect(received).toMatchObject([{ headers: { 'idempotency-key': 'order-1' } }]);
  });

  it('exposes the id of a message whose outcome is unknown', async () => {
    const unknown: Answer = { status: 503, headers: { 'email-id': RECORD.id } };
    const { postern } = clientOf(Array(5).fill(unknown));
    await expect(finished(postern.emails.send(EMAIL))).rejects.toMatchObject({ emailId: RECORD.id });
  });

  it('ends with the reason of its signal', async () => {
    const { postern, received } = clientOf([UNAVAILABLE]);
    const controller = new AbortController();
    const sending = postern.emails.send(EMAIL, { signal: controller.signal });
    sending.catch(() => {});
    await jest.advanceTimersByTimeAsync(500);
    controller.abort(new Error('The user left.'));
    await expect(finished(sending)).rejects.toThrow('The user left.');
    expect(received).toHaveLength(1);
  });
});

describe('a call of the platform API', () => {
  it('sends the platform key as a Bearer token', async () => {
    const { postern, received } = clientOf([{ status: 200, body: [] }], 'ak_live_x');
    await finished(postern.platform.projects.list());
    expect(received).toMatchObject([
      { url: 'https://postern.example.com/api/v1/projects', headers: { authorization: 'Bearer ak_live_x' } },
    ]);
  });

  it.each<[string, Answer]>([
    ['a 5xx', UNAVAILABLE],
    ['a lost connection', new TypeError('fetch failed')],
  ])('that changes something is repeated with its idempotency key after %s', async (_, answer) => {
    const calls = [
      (postern: Postern) => postern.platform.projects.create({ name: 'Shop' }),
      (postern: Postern) => postern.platform.deployments.create('w'),
      (postern: Postern) => postern.platform.environment.setAll('w', [{ key: 'A', value: 'b' }]),
      (postern: Postern) => postern.platform.environment.delete('w', 'v'),
    ];
    for (const call of calls) {
      const { postern, received } = clientOf([answer, BUSY, { status: 200, body: { id: 'p' } }], 'ak_live_x');
      expect(await finished<unknown>(call(postern))).toEqual({ id: 'p' });
      const keys = received.map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size, keys[0]]).toEqual([3, 1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    }
  });

  it('has the idempotency key of its caller, or a new one; a read has none', async () => {
    const { postern, received } = clientOf(Array(4).fill({ status: 200, body: {} }), 'ak_live_x');
    await finished(postern.platform.projects.create({ name: 'Shop' }, { idempotencyKey: 'order-1' }));
    await finished(postern.platform.projects.create({ name: 'Shop' }));
    await finished(postern.platform.projects.create({ name: 'Shop' }));
    await finished(postern.platform.projects.list());
    const [own, first, second, read] = received.map(({ headers }) => headers['idempotency-key']);
    expect([own, read]).toEqual(['order-1', undefined]);
    expect(first).not.toBe(second);
  });

  it('reports that its answer was lost, without repeating it', async () => {
    const lost: Answer = {
      status: 409,
      body: { detail: 'Lost.' },
      headers: { 'error-code': 'idempotency_answer_lost' },
    };
    const { postern, received } = clientOf([UNAVAILABLE, lost], 'ak_live_x');
    await expect(finished(postern.platform.projects.create({ name: 'Shop' }))).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'idempotency_answer_lost',
    });
    expect(received).toHaveLength(2);
  });

  it('that reads is repeated after a lost connection', async () => {
    const lost = Array<Answer>(5).fill(new TypeError('fetch failed'));
    const { postern, received } = clientOf(lost, 'ak_live_x');
    await expect(finished(postern.platform.projects.list())).rejects.toBeInstanceOf(ConnectionError);
    expect(received).toHaveLength(5);
  });

  it('has the code of a refusal whose detail is an object', async () => {
    const detail = { code: 'insufficient_scope', required: 'write', actual: 'read' };
    const { postern } = clientOf([{ status: 403, body: { detail } }], 'ak_live_x');
    await expect(finished(postern.platform.projects.create({ name: 'Shop' }))).rejects.toMatchObject({
      name: 'PermissionError',
      code: 'insufficient_scope',
    });
  });

  it('needs the right kind of key', async () => {
    await expect(clientOf([]).postern.platform.projects.list()).rejects.toThrow('needs a platform key');
    await expect(clientOf([], 'ak_live_x').postern.emails.send(EMAIL)).rejects.toThrow('not a platform key');
  });
});

describe('waiting until a deployment is live', () => {
  const statuses = (...list: string[]): Answer[] =>
    list.map(status => ({ status: 200, body: { status, error: 'The build failed.' } }));
  const wait = (answers: readonly Answer[], timeoutMs = 60_000) =>
    finished(clientOf(answers, 'ak_live_x').postern.platform.deployments.waitUntilLive('w', 'd', { timeoutMs }));

  it('ends when it is live', async () =>
    expect(await wait(statuses('queued', 'building', 'releasing', 'live'))).toMatchObject({ status: 'live' }));

  it('reports why it failed', async () =>
    expect(wait(statuses('building', 'failed'))).rejects.toThrow('Deployment failed: The build failed.'));

  it('ends after its time limit', async () =>
    expect(wait(statuses(...Array(3).fill('building')), 6_000)).rejects.toThrow('still building after 6000 ms'));
});
