import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { throughFolder } from './through-folder.js';

const ANSWER_WITHIN_MS = 10_000;

/** The platform's user in every key-value store. */
export const VALKEY_ADMIN = 'platform';
export const VALKEY_SOCKET = 'valkey.sock';

/** How the platform reaches a key-value store. */
export interface ValkeyAccess {
  /** The folder of its Unix socket: the secret is sent nowhere else. */
  readonly sockets: string;
  readonly adminSecret: string;
}

/**
 * Sends inline commands one after another as the platform's user and returns the lines of their replies; a bulk
 * string of several lines is one reply, and so is an array of strings (RESP). @throws the error of the server's reply.
 */
export const runValkeyCommands = (
  { sockets, adminSecret }: ValkeyAccess,
  ...commands: readonly string[]
): Promise<string[]> => throughFolder(sockets, folder => converse(join(folder, VALKEY_SOCKET), adminSecret, commands));

const converse = (path: string, password: string, commands: readonly string[]): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const replies: string[] = [];
    let rest = 0;
    let text = '';
    let items: string[] | undefined;
    let missing = 0;
    const socket = connect({ path });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () => fail(new Error('the key-value store does not respond')));
    socket.on('error', fail).on('close', () => fail(new Error('the key-value store closed the connection')));
    const take = (part: string) => {
      if (items && items.push(part) < missing) return;
      const reply = items?.join('\n') ?? part;
      items = undefined;
      replies.push(reply);
      if (replies.length <= commands.length) return;
      resolve(replies.slice(1));
      socket.destroy();
    };
    const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
    // It repeats the errors of the socket.
    lines.on('error', fail).on('line', line => {
      if (rest > 0) {
        text += `${line}\n`;
        rest -= Buffer.byteLength(line) + 2;
        if (rest <= 0) take(text);
      } else if (line.startsWith('-')) fail(new Error(`the key-value store refused: ${line.slice(1)}`));
      else if (line.startsWith('$') && line !== '$-1') {
        rest = Number(line.slice(1)) + 2;
        text = '';
      } else if (line.startsWith('*')) {
        missing = Number(line.slice(1));
        items = [];
      } else take(line.slice(1));
    });
    socket.write([`AUTH ${VALKEY_ADMIN} ${password}`, ...commands].map(command => `${command}\r\n`).join(''));
  });
