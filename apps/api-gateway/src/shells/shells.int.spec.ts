import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitPlatformCall,
  cancelRun,
  getRun,
  openShell,
  Refusal,
  type ReplyOf,
  readTerminal,
  writeTerminal,
} from '@postern/contracts';
import { waitFor } from '@postern/testing';
import { WebSocket } from 'ws';
import { knowSession, TOKEN as TOKEN_OF_SESSION } from '../testing/dashboard-call.js';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { admitAll, bearer, USER, WORKSPACE } from '../testing/platform-call.js';
import { replyOf } from '../testing/replies.js';

const SERVICE = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const RUN = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e61';
const TOKEN = 'a-token';

const sampleRun = () => replyOf(getRun) as unknown as ReplyOf<typeof getRun>;

let gateway: GatewayUnderTest;
const open: WebSocket[] = [];
let terminal: { output: Buffer; input: Buffer; sizes: unknown[]; isOver: boolean; isBusy: boolean };
let outcome: { finished_at: string; exit_code: number | null; reason: string | null } | undefined;

beforeAll(async () => {
  gateway = await startGateway();
}, 60_000);
afterAll(() => gateway?.stop());
beforeEach(() => {
  const { services } = gateway;
  admitAll(services);
  terminal = { output: Buffer.alloc(0), input: Buffer.alloc(0), sizes: [], isOver: false, isBusy: false };
  outcome = undefined;
  const run = {
    ...sampleRun(),
    id: RUN,
    web_service_id: SERVICE,
    finished_at: null,
    exit_code: null,
    reason: null,
  };
  services.on(openShell, () => ({ run, token: TOKEN }));
  services.on(getRun, () => ({ ...run, ...outcome }));
  services.on(cancelRun, () => {
    terminal.isOver = true;
    return run;
  });
  services.on(readTerminal, async ({ after, wait_ms }) => {
    const until = Date.now() + Math.min(wait_ms, 300);
    while (terminal.output.length === after && !terminal.isOver && Date.now() < until)
      await new Promise(resolve => setTimeout(resolve, 10));
    const part = terminal.output.subarray(after, after + 64 * 1024);
    return { output: part.toString('base64'), is_over: terminal.isOver && part.length === 0 };
  });
  services.on(writeTerminal, ({ offset, input, size }) => {
    if (size) terminal.sizes.push(size);
    if (!terminal.isBusy)
      terminal.input = Buffer.concat([terminal.input.subarray(0, offset), Buffer.from(input, 'base64')]);
    return { received: terminal.input.length };
  });
});
afterEach(async () => {
  const accepted = open.filter(({ readyState }) => readyState !== WebSocket.CONNECTING).length;
  for (const socket of open.splice(0)) socket.terminate();
  await waitFor(() => recorded('shell.closed').length >= Math.min(accepted, 1), { describe: 'the end of the shells' });
});

const received = (contract: { readonly name: string }) =>
  gateway.services.received.filter(({ contract: name }) => name === contract.name).map(({ request }) => request);

const recorded = (action: string) => gateway.services.audited.filter(entry => entry.action === action);

/** Opens a shell; `answer` is the response if it is refused. */
const connect = async (headers: Record<string, string> = bearer, query = '') => {
  const url = `${gateway.url.replace('http', 'ws')}/api/v1/web-services/${SERVICE}/shell${query}`;
  const socket = new WebSocket(url, { headers });
  open.push(socket);
  socket.on('error', () => undefined);
  let [shown, exit]: [Buffer, unknown] = [Buffer.alloc(0), undefined];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) shown = Buffer.concat([shown, data]);
    else exit = JSON.parse(data.toString('utf8'));
  });
  const closed = new Promise<{ code: number; reason: string; exit: unknown }>(resolve =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason), exit })),
  );
  const answer = await new Promise(resolve => {
    socket.once('open', () => resolve(undefined));
    socket.once('unexpected-response', (_, { statusCode, headers: sent }) => resolve([statusCode, sent['error-code']]));
  });
  return { socket, closed, answer, shown: () => shown.toString('latin1') };
};

describe('A shell over a WebSocket', () => {
  it('passes bytes in both directions and the size, and ends with the exit status', async () => {
    const shell = await connect(bearer, '?columns=120&rows=40');
    expect(received(openShell)).toMatchObject([
      { user_id: USER, workspace_id: WORKSPACE, web_service_id: SERVICE, columns: 120, rows: 40 },
    ]);
    terminal.output = Buffer.from('$ ');
    await waitFor(() => shell.shown() === '$ ', { describe: 'the prompt' });
    shell.socket.send(Buffer.from('exit 3\n'));
    shell.socket.send(JSON.stringify({ resize: { columns: 90, rows: 20 } }));
    await waitFor(() => terminal.sizes.length > 0, { describe: 'the size' });
    expect([terminal.input.toString(), terminal.sizes]).toEqual(['exit 3\n', [{ columns: 90, rows: 20 }]]);
    expect(received(writeTerminal)[0]).toMatchObject({ run_id: RUN, token: TOKEN, offset: 0 });
    terminal.output = Buffer.from('$ bye');
    terminal.isOver = true;
    outcome = { finished_at: '2030-01-01T00:00:00.000Z', exit_code: 3, reason: 'exited with code 3' };
    const end = { exit: { code: 3, reason: 'exited with code 3' } };
    expect(await shell.closed).toEqual({ code: 1000, reason: '', exit: end });
    expect(shell.shown()).toBe('$ bye');
  });

  it('is recorded with who, when and how long, but not what was typed', async () => {
    const shell = await connect();
    shell.socket.send(Buffer.from('a secret\n'));
    await waitFor(() => terminal.input.length > 0, { describe: 'the input' });
    shell.socket.close();
    await waitFor(() => gateway.services.audited.length === 3, { describe: 'the last entry' });
    expect(gateway.services.audited).toMatchObject([
      { action: 'shell.opened', outcome: 'attempted', workspace_id: WORKSPACE },
      { action: 'shell.opened', outcome: 'succeeded', resource: { type: 'run', id: RUN } },
      { action: 'shell.closed', outcome: 'succeeded', resource: { type: 'run', id: RUN } },
    ]);
    expect(JSON.stringify(gateway.services.audited)).not.toContain('secret');
  });

  it('is ended when the client disconnects', async () => {
    const shell = await connect();
    shell.socket.terminate();
    await waitFor(() => received(cancelRun).length === 1, { describe: 'the end' });
    expect(received(cancelRun)).toMatchObject([{ run_id: RUN, web_service_id: SERVICE }]);
  });

  it('needs a key with the scope write, of a member', async () => {
    await connect();
    expect(received(admitPlatformCall)).toMatchObject([{ required: 'write', role: 'member', operation: 'runs:write' }]);
    gateway.services.on(admitPlatformCall, () => {
      throw new Refusal('insufficient_scope', 'the key may only read');
    });
    expect((await connect()).answer).toEqual([403, 'insufficient_scope']);
    expect((await connect({})).answer).toEqual([401, expect.any(String)]);
    expect(received(openShell)).toHaveLength(1);
  });

  it('does not accept the cookie of a session, which a browser sends for every page', async () => {
    knowSession(gateway.services);
    const { answer } = await connect({ cookie: `postern_session=${TOKEN_OF_SESSION}`, origin: gateway.url });
    expect(answer).toEqual([401, expect.any(String)]);
    expect(received(openShell)).toEqual([]);
  });

  it('runs a command instead of a shell', async () => {
    await connect(bearer, `?command=${encodeURIComponent('rails console')}`);
    expect(received(openShell)).toMatchObject([{ command: 'rails console', columns: 80, rows: 24 }]);
    expect((await connect(bearer, '?command=')).answer).toEqual([400, expect.any(String)]);
  });

  it('is refused with an ordinary response, as a request without a WebSocket is', async () => {
    gateway.services.on(openShell, () => {
      throw new Refusal('too_many_shells', 'close one first');
    });
    expect((await connect()).answer).toEqual([409, 'too_many_shells']);
    expect((await connect(bearer, '?columns=0')).answer).toEqual([400, expect.any(String)]);
    const response = await fetch(`${gateway.url}/api/v1/web-services/${SERVICE}/shell`, { headers: bearer });
    expect([response.status, response.headers.get('error-code')]).toEqual([426, 'websocket_required']);
    expect(received(cancelRun)).toEqual([]);
  });

  it('is closed after a text frame that it does not understand', async () => {
    const shell = await connect();
    shell.socket.send('hello');
    expect(await shell.closed).toMatchObject({ code: 1007, reason: expect.stringContaining('resize') });
    await waitFor(() => received(cancelRun).length === 1, { describe: 'the end' });
  });

  it('does not read input that the shell does not take', async () => {
    terminal.isBusy = true;
    const { socket } = await connect();
    const total = 20 * 2 ** 20;
    for (let sent = 0; sent < total; sent += 2 ** 15) socket.send(Buffer.alloc(2 ** 15));
    await waitFor(() => received(writeTerminal).length > 3, { describe: 'several attempts' });
    expect(socket.bufferedAmount).toBeGreaterThan(total / 4);
    expect(new Set(received(writeTerminal).map(request => (request as { offset: number }).offset))).toEqual(
      new Set([0]),
    );
    // Nothing is read from the connection, so only an error ends the shell.
    gateway.services.on(writeTerminal, () => {
      throw new Refusal('invalid_input', 'the terminal is gone');
    });
  });

  it('writes many small frames together and in order, with the last size', async () => {
    terminal.isBusy = true;
    const { socket } = await connect();
    const typed = Array.from({ length: 5_000 }, (_, index) => String(index % 10)).join('');
    for (const character of typed) {
      socket.send(Buffer.from(character));
      socket.send(JSON.stringify({ resize: { columns: 1 + Number(character), rows: 20 } }));
    }
    await waitFor(() => received(writeTerminal).length > 1, { describe: 'an attempt' });
    terminal.isBusy = false;
    await waitFor(() => terminal.input.length === typed.length, { describe: 'all input' });
    expect(terminal.input.toString()).toBe(typed);
    await waitFor(() => (terminal.sizes.at(-1) as { columns: number }).columns === 10, { describe: 'the last size' });
    expect(received(writeTerminal).length).toBeLessThan(1_000);
  });

  it('sends all output to a slow client, and does not read more than it takes', async () => {
    terminal.output = Buffer.alloc(10 * 2 ** 20, 'x');
    const shell = await connect();
    shell.socket.pause();
    const offset = () => (received(readTerminal).at(-1) as { after: number }).after;
    let before = -1;
    await waitFor(
      () => {
        const isSteady = before === offset();
        before = offset();
        return isSteady;
      },
      { intervalMs: 300, describe: 'a full connection' },
    );
    expect(before).toBeLessThan(terminal.output.length - 2 ** 20);
    shell.socket.resume();
    await waitFor(() => shell.shown().length === terminal.output.length, { timeoutMs: 60_000, describe: 'all output' });
  }, 90_000);

  it('is closed with 1012 when the gateway stops', async () => {
    const shell = await connect();
    const stopped = gateway.stopGateway();
    expect(await shell.closed).toMatchObject({ code: 1012 });
    await stopped;
    expect(received(cancelRun)).toHaveLength(1);
  }, 30_000);
});
