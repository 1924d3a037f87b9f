import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { HandOver } from '../hand-over.js';
import type { RelayConfig } from '../relay-config.js';
import { SmtpPool } from '../smtp-pool.js';

/** Answers by command, or by command and local part; `.` is the end of the data, BODY its first bytes. */
export type Script = Record<string, string>;

/** The split of replies into packets: one packet each, one packet for all replies to one write, or byte by byte. */
export type Manner = 'each' | 'together' | 'byte by byte';

/** Closes the connection, optionally after sending part of a reply. */
export function CUT(after = ''): string {
  return `cut ${after}`;
}
export function HANG(): string {
  return 'hang';
}
/** A reply that never ends, sent in small pieces. */
export function DRIP(): string {
  return 'drip';
}

/** A relay that answers by script, one line at a time. */
export class ScriptedRelay {
  readonly commands: string[] = [];
  readonly messages: string[] = [];
  readonly #sockets = new Set<Socket>();
  connections = 0;
  /** The maximum number of commands received before the first of them was answered. */
  mostAtOnce = 0;
  manner: Manner = 'each';
  /** Called when DATA arrives, before it is answered. */
  onData: () => void = () => {};
  /** Applies to the first matching command only. */
  onceScript: Script = {};

  constructor(
    readonly server: Server,
    public script: Script,
    readonly pipelining: boolean,
  ) {
    server.on('connection', socket => this.#serve(socket));
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.hangUp();
    await closed;
  }

  #serve(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    let buffered = '';
    let inData = false;
    let hasSender = false;
    let recipients = 0;
    let unsent = '';
    let isSending = false;
    const sendByBytes = (): void => {
      isSending = unsent !== '' && !socket.destroyed;
      if (!isSending) return;
      socket.write(unsent.slice(0, 1), 'latin1');
      unsent = unsent.slice(1);
      setImmediate(sendByBytes);
    };
    const send = (reply: string): void => {
      if (this.manner === 'each') socket.write(reply);
      else unsent += Buffer.from(reply).toString('latin1');
      if (this.manner === 'byte by byte' && !isSending) sendByBytes();
    };
    const flush = (): void => {
      if (this.manner !== 'together' || socket.destroyed || unsent === '') return;
      socket.write(unsent, 'latin1');
      unsent = '';
    };
    const answer = (key: string, fallback: string, detail = ''): boolean => {
      if (key === 'DATA') this.onData();
      const reply = this.onceScript[key] ?? this.script[`${key}:${detail}`] ?? this.script[key] ?? fallback;
      if (this.onceScript[key]) this.onceScript = {};
      if (reply === 'cut ') socket.destroy();
      else if (reply.startsWith('cut ')) socket.end(reply.slice(4));
      else if (reply === 'drip') {
        const drip = setInterval(() => socket.write('250-on\r\n'), 5);
        socket.on('close', () => clearInterval(drip));
      } else if (reply !== 'hang') send(`${reply}\r\n`);
      return reply.startsWith('2') || reply.startsWith('3');
    };
    answer('GREETING', '220 relay');
    flush();
    let bodyAnswered = false;
    const take = (): void => {
      if (!inData) {
        this.mostAtOnce = Math.max(this.mostAtOnce, buffered.split('\r\n').length - 1);
      } else if (this.script['BODY'] && !bodyAnswered) {
        bodyAnswered = true;
        answer('BODY', '');
      }
      while (!socket.destroyed) {
        if (inData) {
          const end = `\r\n${buffered}`.indexOf('\r\n.\r\n');
          if (end < 0) return;
          this.messages.push(buffered.slice(0, end).replace(/^\./gm, ''));
          buffered = buffered.slice(end + 3);
          inData = false;
          recipients = 0;
          answer('.', '250 ok');
          continue;
        }
        const end = buffered.indexOf('\r\n');
        if (end < 0) return;
        const command = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        this.commands.push(command);
        const verb = command.slice(0, 4).toUpperCase();
        if (verb === 'EHLO')
          answer('EHLO', `250-relay\r\n${this.pipelining ? '250-PIPELINING\r\n' : ''}250 AUTH PLAIN`);
        else if (verb === 'MAIL') hasSender = answer('MAIL', '250 ok');
        else if (verb === 'RCPT') {
          recipients += Number(answer('RCPT', hasSender ? '250 ok' : '503 no MAIL', /<([^@]*)/.exec(command)?.[1]));
        } else if (verb === 'DATA' && recipients === 0 && !this.script['DATA']) send('503 no recipients\r\n');
        else if (verb === 'DATA') inData = answer('DATA', '354 go on');
        else if (verb === 'STAR') answer('STARTTLS', '502 not here');
        else if (verb === 'QUIT') socket.end('221 bye\r\n');
        else {
          if (verb === 'RSET') recipients = 0;
          answer(verb, '250 ok');
        }
      }
    };
    socket.on('data', chunk => {
      buffered += chunk.toString();
      take();
      flush();
    });
  }
}

/** A mail to one recipient, with a line that needs dot-stuffing. */
export const mail: HandOver = {
  from: 'b+token@bounce.example.com',
  recipients: [{ address: 'ada@example.org' }],
  bytes: Buffer.from('From: a@example.com\r\n\r\n.dot\r\nhello\r\n'),
};

const cleanUps: (() => Promise<unknown>)[] = [];

/** Runs all registered stops, in reverse order. */
export async function cleanUp(): Promise<void> {
  for (const stop of cleanUps.splice(0).reverse()) await stop();
}

/** Registers stops for `cleanUp`. */
export function afterwards(...stops: (() => Promise<unknown>)[]): void {
  cleanUps.push(...stops);
}

/** A relay that answers by script, and a pool for it. */
export async function start(
  script: Script,
  options: Partial<RelayConfig> & { pipelining?: boolean; manner?: Manner } = {},
): Promise<{ pool: SmtpPool; relay: ScriptedRelay }> {
  // Without noDelay, replies to a pipelined envelope wait 40 ms for the delayed acknowledgement of the client.
  const server = createServer({ noDelay: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { pipelining = true, manner = 'each', ...config } = options;
  const relay = new ScriptedRelay(server, script, pipelining);
  relay.manner = manner;
  const pool = poolFor((server.address() as AddressInfo).port, config);
  afterwards(
    () => relay.stop(),
    () => pool.close(),
  );
  return { pool, relay };
}

/** A pool with short timeouts, stopped by `cleanUp`. */
export function poolFor(port: number, config: Partial<RelayConfig> = {}): SmtpPool {
  return new SmtpPool({
    host: '127.0.0.1',
    port,
    security: 'none',
    name: 'mail.example.com',
    maxConnections: 4,
    connectTimeoutMs: 2_000,
    silenceTimeoutMs: 2_000,
    answerTimeoutMs: 2_000,
    queueTimeoutMs: 2_000,
    ...config,
  });
}
