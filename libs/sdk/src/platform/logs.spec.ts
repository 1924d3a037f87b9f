import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthenticationError, ConnectionError, type LogLine, Postern } from '../index.js';

const ID = '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e00';
const RUN = '0198d39f-1a2b-7c3d-8e4f-5a6b7c8d9e01';
const line = (message: string, second = 5, instance = 'web-1'): LogLine => ({
  timestamp: `2030-01-02T03:04:${String(second).padStart(2, '0')}.000Z`,
  instance,
  stream: 'stdout',
  message,
});
const event = (id: string, of: LogLine) => `id: ${id}\ndata: ${JSON.stringify(of)}\n\n`;

const linesOfLog = ({ platform }: Postern) => platform.logs.follow(ID, { tail: 7 });
const linesOfRun = ({ platform }: Postern) => platform.runs.follow(ID, RUN);

/** One connection: an error answer, none at all, or text after which the connection ends or breaks. */
type Connection = number | 'refused' | { readonly pieces: readonly string[]; readonly breaks?: boolean };

const follow = (connections: readonly Connection[], linesOf = linesOfLog) => {
  const left = [...connections];
  const requests: { url: string; lastEventId: string | undefined }[] = [];
  const postern = new Postern('ak_live_x', {
    baseUrl: 'https://postern.example.com',
    fetch: async (url, { headers }) => {
      requests.push({ url, lastEventId: headers['last-event-id'] });
      const connection = left.shift() ?? 401;
      if (connection === 'refused') throw new TypeError('connection refused');
      if (typeof connection === 'number') return new Response('{"detail": "No."}', { status: connection });
      const pieces = connection.pieces.map(piece => new TextEncoder().encode(piece));
      const body = new ReadableStream({
        pull(controller) {
          const piece = pieces.shift();
          if (piece) controller.enqueue(piece);
          else if (connection.breaks) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const messages: string[] = [];
  const ended = (async () => {
    for await (const { message } of linesOf(postern)) messages.push(message);
  })();
  ended.catch(() => undefined);
  return { ended, messages, requests };
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('Following a log', () => {
  it('prints the lines of one stream, and ends with the error of the API', async () => {
    const { ended, messages, requests } = follow([
      { pieces: ['retry: 2000\n\n', event('1', line('one')), 'event: end\ndata: {}\n\n'] },
    ]);
    await jest.advanceTimersByTimeAsync(60_000);
    await expect(ended).rejects.toThrow(AuthenticationError);
    expect(messages).toEqual(['one']);
    expect(requests[0]?.url).toBe(`https://postern.example.com/api/v1/web-services/${ID}/logs/stream?tail=7`);
  });

  it('continues after a lost connection without a lost or doubled line', async () => {
    const before = [line('old', 1), line('tick', 20), line('tick', 20), line('last', 21)];
    const [old = '', ...recent] = before.map((each, index) => event(`id-${index}`, each));
    const late = event('id-late', line('stored late', 20, 'web-2'));
    const { ended, messages, requests } = follow([
      { pieces: [old, recent.join('').slice(0, -9), recent.join('').slice(-9)], breaks: true },
      'refused',
      503,
      { pieces: [...recent, late, event('id-new', line('new', 22))] },
    ]);
    await jest.advanceTimersByTimeAsync(120_000);
    await expect(ended).rejects.toThrow(AuthenticationError);
    expect(messages).toEqual(['old', 'tick', 'tick', 'last', 'stored late', 'new']);
    // A stream continues a little before its end, because lines of several instances can be stored out of order.
    expect(requests.slice(1, 4).map(({ lastEventId }) => lastEventId)).toEqual(['id-0', 'id-0', 'id-0']);
  });

  it('of a run ends when the run has ended, after a lost connection too', async () => {
    const { ended, messages, requests } = follow(
      [
        { pieces: [event('1', line('one'))], breaks: true },
        { pieces: [event('2', line('two')), 'event: end\ndata: {}\n\n'] },
      ],
      linesOfRun,
    );
    await jest.advanceTimersByTimeAsync(10_000);
    await ended;
    expect(messages).toEqual(['one', 'two']);
    expect(requests.map(({ url, lastEventId }) => [url, lastEventId])).toEqual(
      [undefined, '1'].map(id => [`https://postern.example.com/api/v1/web-services/${ID}/runs/${RUN}/logs/stream`, id]),
    );
  });

  it('gives up when the connection stays lost', async () => {
    const { ended, requests } = follow([
      { pieces: [event('1', line('one'))] },
      ...Array<Connection>(100).fill('refused'),
    ]);
    await jest.advanceTimersByTimeAsync(290_000);
    await jest.advanceTimersByTimeAsync(30_000);
    await expect(ended).rejects.toThrow(ConnectionError);
    expect(requests.length).toBeGreaterThan(20);
  });

  it('notices a connection on which nothing arrives, not even a comment', async () => {
    let attempts = 0;
    const postern = new Postern('ak_live_x', {
      baseUrl: 'https://postern.example.com',
      fetch: async (_, { signal }) => {
        attempts += 1;
        if (attempts > 1) return new Response('{}', { status: 401 });
        const body = new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('retry: 1\n\n'));
            signal.addEventListener('abort', () => controller.error(signal.reason));
          },
        });
        return new Response(body);
      },
    });
    const following = postern.platform.logs.follow(ID).next();
    following.catch(() => undefined);
    await jest.advanceTimersByTimeAsync(40_000);
    expect(attempts).toBe(1);
    await jest.advanceTimersByTimeAsync(10_000);
    await expect(following).rejects.toThrow(AuthenticationError);
  });
});
