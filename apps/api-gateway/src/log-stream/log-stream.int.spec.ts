import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  authenticateSession,
  followLogs,
  followRun,
  type Logs,
  operationOf,
  Refusal,
  type ReplyOf,
  type RequestOf,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { bearer, RATE_LIMIT, REPORTED_KEY, USER, WORKSPACE } from '../testing/platform-call.js';
import { STREAMS_PER_WORKSPACE } from './log-streams.js';

const SERVICE = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const PROJECT = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e60';

let gateway: GatewayUnderTest;
let log: Logs['lines'];
const open: AbortController[] = [];

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway?.stop());
beforeEach(() => {
  log = [line(1, 'first'), line(2, 'second')];
  gateway.services.reset();
  gateway.services.on(authenticateSession, () => ({
    user_id: USER,
    workspace_id: WORKSPACE,
    email: 'o@x.example',
    operator: false,
    role: 'owner' as const,
  }));
  gateway.services.on(followLogs, request => pageOf(log, request));
});
afterEach(() => {
  for (const controller of open.splice(0)) controller.abort();
});

/** A page in the format of the runtime: the id of a line is its number. */
const pageOf = (
  all: Logs['lines'],
  { after, tail, max_lines }: RequestOf<typeof followLogs>,
): ReplyOf<typeof followLogs> => {
  const from = after === undefined ? Math.max(0, all.length - tail) : Number(after.slice(2));
  const lines = all.slice(from, from + max_lines).map((each, index) => ({ ...each, id: `1-${from + index + 1}` }));
  const next = from + lines.length;
  return { lines, next: `1-${next}`, has_more: next < all.length, is_incomplete: false };
};

const line = (second: number, message: string) => ({
  timestamp: `2026-03-01T10:00:0${second}.000Z`,
  instance: 'web-1',
  stream: 'stdout' as const,
  message,
});

const follow = (headers: Record<string, string> = {}, query = '', base = '/dashboard/api') =>
  stream(`${base}/web-services/${SERVICE}/logs/stream${query}`, headers);

const stream = async (path: string, headers: Record<string, string>) => {
  const controller = new AbortController();
  open.push(controller);
  const url = `${gateway.url}${path}`;
  const response = await fetch(url, {
    headers: { authorization: 'Bearer token', ...headers },
    signal: controller.signal,
  });
  let text = '';
  let ended = false;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
  };
  const closed = read().then(
    () => (ended = true),
    () => undefined,
  );
  return {
    response,
    closed,
    text: () => text,
    ended: () => ended,
    messages: () =>
      [...text.matchAll(/^data: (\{.*"message".*\})$/gm)].map(([, json]) => JSON.parse(json!).message as string),
    ids: () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!),
    leave: () => controller.abort(),
  };
};

it('begins with the last lines and follows the log', async () => {
  const stream = await follow({}, '?tail=1');
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toBe('no-store');
  await waitFor(() => stream.messages().length === 1, { describe: 'the last line' });
  log = [...log, line(3, 'third')];
  await waitFor(() => stream.messages().includes('third'), { describe: 'the next line' });
  expect(stream.messages().filter(message => message === 'third')).toHaveLength(1);
});

it('continues after the line in Last-Event-ID', async () => {
  const before = await follow();
  await waitFor(() => before.ids().length === 2, { describe: 'both lines' });
  before.leave();
  log = [...log, line(3, 'missed')];
  const after = await follow({ 'last-event-id': before.ids()[1]! });
  await waitFor(() => after.messages().length > 0, { describe: 'the missed line' });
  expect(after.messages()).toEqual(['missed']);
});

it('continues among lines with the same time', async () => {
  log = [line(1, 'first'), line(1, 'second'), line(1, 'third')];
  const last = await follow({}, '?tail=1');
  await waitFor(() => last.ids().length === 1, { describe: 'the last line' });
  log = [...log, line(1, 'fourth')];
  const after = await follow({ 'last-event-id': last.ids()[0]! });
  await waitFor(() => after.messages().length > 0, { describe: 'the next line' });
  expect(after.messages()).toEqual(['fourth']);
});

it.each([
  [
    'session',
    () =>
      gateway.services.on(authenticateSession, () => {
        throw new Refusal('session_invalid', 'ended');
      }),
  ],
  [
    'web service',
    () =>
      gateway.services.on(followLogs, () => {
        throw new Refusal('web_service_not_found', 'gone');
      }),
  ],
])(
  'ends with the %s',
  async (_, end) => {
    const stream = await follow();
    await waitFor(() => stream.messages().length === 2, { describe: 'the lines' });
    end();
    await waitFor(() => stream.ended(), { timeoutMs: 15_000, describe: 'the end of the stream' });
    expect(stream.text()).toContain('event: end\n');
  },
  30_000,
);

it('responds with an error for a web service of another workspace, and without a session', async () => {
  gateway.services.on(followLogs, () => {
    throw new Refusal('web_service_not_found', 'there is no such web service');
  });
  expect((await follow()).response.status).toBe(404);
  expect((await follow({ authorization: '' })).response.status).toBe(401);
  expect((await follow({}, '?tail=1001')).response.status).toBe(400);
});

describe('with a platform key', () => {
  const withKey = (headers: Record<string, string> = {}) => follow({ ...bearer, ...headers }, '', '/api/v1');
  const admit = (project_ids?: string[]) =>
    gateway.services.on(admitPlatformCall, () => ({
      caller: { user_id: USER, workspace_id: WORKSPACE, key: REPORTED_KEY, ...(project_ids ? { project_ids } : {}) },
      rate_limit: RATE_LIMIT,
    }));

  it('is the same stream, for one call of a key that may read logs', async () => {
    admit();
    const stream = await withKey();
    await waitFor(() => stream.messages().length === 2, { describe: 'the lines' });
    const calls = gateway.services.received.filter(({ contract }) => contract === admitPlatformCall.name);
    expect(calls.map(({ request }) => request)).toMatchObject([
      { required: 'read', operation: 'logs-and-metrics:read', role: 'viewer' },
    ]);
  });

  it('is limited to the projects of the key', async () => {
    admit([PROJECT]);
    await withKey();
    const read = gateway.services.received.find(({ contract }) => contract === followLogs.name);
    expect(read?.request).toMatchObject({ workspace_id: WORKSPACE, project_ids: [PROJECT] });
  });

  it('requires a valid key', async () => {
    expect((await follow({}, '', '/api/v1')).response.status).toBe(401);
    gateway.services.on(admitPlatformCall, () => {
      throw new Refusal('platform_key_invalid', 'revoked');
    });
    expect((await withKey()).response.status).toBe(401);
  });
});

describe('of a run', () => {
  const RUN = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e61';
  let hasEnded: boolean;
  const followRunWith = (headers: Record<string, string> = {}, base = '/dashboard/api') =>
    stream(`${base}/web-services/${SERVICE}/runs/${RUN}/logs/stream`, headers);

  beforeEach(() => {
    hasEnded = false;
    gateway.services.on(followRun, request => {
      const page = pageOf(log, { ...request, after: request.after ?? '1-0', tail: 1 });
      return { ...page, is_over: hasEnded && !page.has_more };
    });
  });

  it('begins with its first line, and ends after its last one', async () => {
    const run = await followRunWith();
    await waitFor(() => run.messages().length === 2, { describe: 'both lines' });
    log = [...log, line(3, 'last')];
    hasEnded = true;
    await run.closed;
    expect(run.messages()).toEqual(['first', 'second', 'last']);
    expect(run.text()).toMatch(/event: end\ndata: \{"reason":"the run has ended"\}\n\n$/);
    expect(gateway.services.received.find(({ contract }) => contract === followRun.name)?.request).toMatchObject({
      ...{ workspace_id: WORKSPACE, web_service_id: SERVICE, run_id: RUN },
    });
  });

  it('of a command that has ended is complete, and continues after the line in Last-Event-ID', async () => {
    hasEnded = true;
    const run = await followRunWith({ 'last-event-id': '1-1' });
    await run.closed;
    expect(run.messages()).toEqual(['second']);
  });

  it('requires a key that may read runs', async () => {
    gateway.services.on(admitPlatformCall, () => ({
      caller: { user_id: USER, workspace_id: WORKSPACE, key: REPORTED_KEY },
      rate_limit: RATE_LIMIT,
    }));
    await followRunWith(bearer, '/api/v1');
    const calls = gateway.services.received.filter(({ contract }) => contract === admitPlatformCall.name);
    expect(calls.map(({ request }) => request)).toMatchObject([{ required: 'read', role: 'viewer' }]);
    expect(calls[0]?.request).toHaveProperty('operation', operationOf('Runs.get', false));
  });

  it('responds with an error for an unknown run, and without a session', async () => {
    gateway.services.on(followRun, () => {
      throw new Refusal('run_not_found', 'there is no such run of this web service');
    });
    expect((await followRunWith()).response.status).toBe(404);
    expect((await followRunWith({ authorization: '' })).response.status).toBe(401);
  });
});

it('is limited for each workspace, and a reader that disconnects frees its slot', async () => {
  const streams = await Promise.all(Array.from({ length: STREAMS_PER_WORKSPACE }, () => follow()));
  expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
  const refused = await follow();
  expect([refused.response.status, refused.response.headers.get('error-code')]).toEqual([429, 'too_many_streams']);
  streams[0]!.leave();
  await waitFor(async () => (await follow()).response.status === 200, { describe: 'a free place' });
});

it('polls a silent log at increasing intervals', async () => {
  await follow();
  const polls = () => gateway.services.received.filter(({ contract }) => contract === followLogs.name).length;
  await waitFor(() => polls() === 4, { timeoutMs: 15_000, intervalMs: 10, describe: 'three polls' });
  const before = performance.now();
  await waitFor(() => polls() === 5, { timeoutMs: 15_000, intervalMs: 10, describe: 'one more poll' });
  expect(performance.now() - before).toBeGreaterThan(1_800);
}, 30_000);

it('ends when the gateway stops', async () => {
  const stream = await follow();
  await waitFor(() => stream.messages().length === 2, { describe: 'the lines' });
  const stopped = gateway.stopGateway();
  await waitFor(() => stream.ended(), { timeoutMs: 10_000, describe: 'the end of the stream' });
  await stopped;
}, 30_000);
