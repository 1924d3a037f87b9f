import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type DatabaseRecord, LOCAL_HOST } from './database-folder.js';

const ANSWER_WITHIN_MS = 10_000;

/** The platform's user in every key-value store. */
export const VALKEY_ADMIN = 'platform';

/**
 * Sends inline commands one after another as the platform's user and returns the lines of their replies; a bulk
 * string (RESP) of several lines is one reply. @throws the error of the server's reply.
 */
export const runValkeyCommands = (
  { port, adminPassword }: Pick<DatabaseRecord, 'port' | 'adminPassword'>,
  ...commands: readonly string[]
): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const replies: string[] = [];
    let rest = 0;
    let text = '';
    const socket = connect({ host: LOCAL_HOST, port });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () => fail(new Error('the key-value store does not respond')));
    socket.on('error', fail).on('close', () => fail(new Error('the key-value store closed the connection')));
    const take = (reply: string) => {
      replies.push(reply);
      if (replies.length <= commands.length) return;
      resolve(replies.slice(1));
      socket.destroy();
    };
    createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY }).on('line', line => {
      if (rest > 0) {
        text += `${line}\n`;
        rest -= Buffer.byteLength(line) + 2;
        if (rest <= 0) take(text);
      } else if (line.startsWith('-')) fail(new Error(`the key-value store refused: ${line.slice(1)}`));
      else if (line.startsWith('$') && line !== '$-1') {
        rest = Number(line.slice(1)) + 2;
        text = '';
      } else take(line.slice(1));
    });
    socket.write([`AUTH ${VALKEY_ADMIN} ${adminPassword}`, ...commands].map(command => `${command}\r\n`).join(''));
  });
