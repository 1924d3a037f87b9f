import type { IncomingMessage } from 'node:http';
import { ApiError, AuthenticationError } from '@postern/sdk';
import type { Command } from 'commander';
import { WebSocket } from 'ws';
import { command, invocation } from '../command-line.js';
import { EXIT } from '../errors.js';
import { webServiceNamed } from '../web-services.js';
import { commandLine } from './exec.js';

/** What a terminal sends for the end of the input (Ctrl-D). */
const END_OF_INPUT = '\x04';
const FRAME_BYTES = 32 * 1024;
/** Input that waits for the connection; beyond it, the standard input is not read. */
const MAX_WAITING_BYTES = 64 * 1024;
/** The server sends a ping every 30 seconds. */
const SILENT_MS = 90_000;
const HANDSHAKE_MS = 15_000;

interface Exit {
  readonly code: number | null;
  readonly reason: string | null;
}

/** `postern shell`: a shell, or a command, with a terminal in the live release of a web service. */
export const shell = (): Command =>
  command('shell', 'Open a shell with a terminal in the live release, with its environment', [
    'postern shell storefront',
    'postern shell storefront -- rails console',
  ])
    .argument('[service]', 'id or name of the web service; POSTERN_WEB_SERVICE, or the only one, by default')
    .argument('[command...]', 'a program with its arguments that runs instead of a shell')
    .passThroughOptions()
    .addHelpText(
      'after',
      '\nEnds with the exit status of the shell, after 15 minutes without input and output, or after an hour.' +
        '\nThe shell and its programs end with the connection. It does not run in the instances, but beside them.',
    )
    .action(async (wanted: string | undefined, words: readonly string[], options: { readonly json?: boolean }) => {
      const { context, output } = invocation(options);
      const { id } = await webServiceNamed(context.platform(), context, wanted);
      const { columns, rows } = sizeOf(process.stdout);
      const url = new URL(`${context.url.replace(/\/+$/, '')}/api/v1/web-services/${id}/shell`);
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
      url.search = new URLSearchParams({
        ...{ columns: String(columns), rows: String(rows) },
        ...(words.length > 0 && { command: commandLine(words) }),
      }).toString();
      const headers = { authorization: `Bearer ${context.requiredPlatformKey()}` };
      const { code, reason } = await connect(new WebSocket(url, { headers, handshakeTimeout: HANDSHAKE_MS }));
      if (reason !== null) output.note(`The shell ended: ${reason}`);
      process.exitCode = code ?? EXIT.failed;
    });

/** Connects the standard streams with a shell until it ends. */
const connect = async (socket: WebSocket): Promise<Exit> => {
  await opened(socket);
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true;
  let exit: Exit | undefined;
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) exit = (JSON.parse(data.toString('utf8')) as { exit?: Exit }).exit ?? exit;
    else if (!stdout.write(data)) {
      socket.pause();
      stdout.once('drain', () => socket.resume());
    }
  });
  const silence = setTimeout(() => socket.terminate(), SILENT_MS);
  socket.on('ping', () => silence.refresh());
  const resize = () => {
    socket.send(JSON.stringify({ resize: sizeOf(stdout) }));
  };
  const send = (data: Buffer) => {
    for (let at = 0; at < data.length; at += FRAME_BYTES)
      socket.send(data.subarray(at, at + FRAME_BYTES), { binary: true }, () => {
        if (socket.bufferedAmount <= MAX_WAITING_BYTES) stdin.resume();
      });
    if (socket.bufferedAmount > MAX_WAITING_BYTES) stdin.pause();
  };
  const finish = () => socket.send(END_OF_INPUT, { binary: true });
  if (isTerminal) stdin.setRawMode(true);
  stdout.on('resize', resize);
  stdin.on('data', send);
  if (!isTerminal) stdin.once('end', finish);
  try {
    // Not `once` of node:events, which rejects when a connection is reset.
    return await new Promise<Exit>(resolve =>
      socket.once('close', (code, reason) =>
        resolve(exit ?? { code: null, reason: reason.toString('utf8') || `the connection was lost (${code})` }),
      ),
    );
  } finally {
    clearTimeout(silence);
    if (isTerminal) stdin.setRawMode(false);
    stdout.off('resize', resize);
    stdin.off('data', send);
    stdin.pause();
  }
};

/** @throws the error of the API if it refuses the connection. */
const opened = (socket: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', error => reject(new Error(`Postern cannot be reached: ${error.message}`)));
    socket.once('unexpected-response', (_, response: IncomingMessage) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body = (body + chunk.toString('utf8')).slice(0, 10_000);
      });
      response.once('close', () => {
        reject(refusalOf(response, body));
      });
    });
  });

const refusalOf = ({ statusCode: status = 0, headers }: IncomingMessage, body: string): ApiError => {
  const response = {
    status,
    code: headers['error-code']?.toString(),
    message: messageIn(body) ?? `HTTP ${status}`,
    requestId: headers['x-request-id']?.toString(),
    retryAfterS: undefined,
    emailId: undefined,
  };
  return status === 401 ? new AuthenticationError(response) : new ApiError(response);
};

const messageIn = (body: string): string | undefined => {
  try {
    const { detail } = JSON.parse(body) as { detail?: string | { message?: string; required?: string } };
    if (typeof detail !== 'object') return detail;
    return detail.message ?? `a shell needs a key with the scope ${detail.required}`;
  } catch {
    return undefined;
  }
};

/** A terminal without a size has 0 columns. */
const sizeOf = ({ columns, rows }: { readonly columns?: number; readonly rows?: number }) => ({
  columns: columns || 80,
  rows: rows || 24,
});
