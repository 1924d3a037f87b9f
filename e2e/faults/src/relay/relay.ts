import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { planOf } from '../message-plan.js';
import type { RefusedRecipient, TakenCopy } from '../observed-traffic.js';
import type { SeededRandom } from '../run/random.js';
import { NORMAL, REFUSALS, type RelayBehaviour, type Stage } from './behaviour.js';

/** A copy with the data for its reports. */
export interface TakenMail {
  readonly copy: TakenCopy;
  readonly envelopeFrom: string;
  readonly envid: string | undefined;
  readonly raw: Buffer;
}

type Done = (error?: Error | null) => void;

const MESSAGE_ID = /^Message-ID: <([0-9a-f-]+)[.@]/im;

/** The upstream relay of a run: accepts mail, records it, and fails on request. */
export class FaultyRelay {
  readonly taken: TakenCopy[] = [];
  readonly refused: RefusedRecipient[] = [];
  behaviour: RelayBehaviour = NORMAL;
  private server: SMTPServer | undefined;
  private readonly file: WriteStream;

  constructor(
    readonly port: number,
    private readonly random: SeededRandom,
    private readonly onTaken: (mail: TakenMail) => void,
    copiesFile: string,
  ) {
    this.file = createWriteStream(copiesFile, { flags: 'a' });
  }

  async open(): Promise<void> {
    const server = new SMTPServer({
      name: 'relay.test',
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      hideDSN: false,
      maxAllowedUnauthenticatedCommands: false,
      closeTimeout: 100,
      onConnect: (_, callback) => this.answer('connect', callback),
      onMailFrom: (_from, _session, callback) => this.answer('mail', callback),
      onRcptTo: ({ address }, _session, callback) => this.answerRecipient(address, callback),
      onData: (stream, session, callback) => this.takeText(stream, session, callback),
    });
    server.on('error', () => undefined);
    this.server = server;
    await once(server.listen(this.port, '127.0.0.1'), 'listening');
  }

  /** Refuses connections and closes the open ones. */
  async down(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server) return;
    for (const connection of server.connections) connection._socket.destroy();
    await new Promise<void>(resolve => server.close(resolve));
  }

  async close(): Promise<void> {
    await this.down();
    await new Promise<void>(resolve => this.file.end(resolve));
  }

  private answer(stage: Stage, callback: Done): void {
    const { behaviour } = this;
    if (behaviour.kind === 'slow') setTimeout(() => callback(), behaviour.delayMs);
    else if (behaviour.kind === 'refuse' && behaviour.stage === stage && this.random.chance(behaviour.share)) {
      const { code, text } = REFUSALS[stage];
      callback(Object.assign(new Error(text), { responseCode: code }));
    } else callback();
  }

  private answerRecipient(recipient: string, callback: Done): void {
    this.answer('rcpt', error => {
      if (error || planOf(recipient)?.outcome !== 'refused') return callback(error);
      this.refused.push({ at: Date.now(), recipient });
      callback(Object.assign(new Error('5.1.1 no such user here'), { responseCode: 550 }));
    });
  }

  private takeText(stream: SMTPServerDataStream, session: SMTPServerSession, callback: Done): void {
    const { behaviour } = this;
    const cut = behaviour.kind === 'cut' && this.random.chance(behaviour.share) ? behaviour.when : undefined;
    if (cut === 'in data') {
      stream.once('data', () => this.cut(session));
      return;
    }
    const chunks: Buffer[] = [];
    stream.on('data', chunk => chunks.push(chunk));
    stream.once('end', () => {
      if (cut === 'after dot, not taken') return this.cut(session);
      if (cut === 'after dot, taken') {
        this.take(session, Buffer.concat(chunks));
        return this.cut(session);
      }
      this.answer('data', error => {
        if (!error) this.take(session, Buffer.concat(chunks));
        callback(error);
      });
    });
  }

  private cut(session: SMTPServerSession): void {
    for (const connection of this.server?.connections ?? [])
      if (connection.id === session.id) connection._socket.destroy();
  }

  private take({ envelope }: SMTPServerSession, raw: Buffer): void {
    const emailId = MESSAGE_ID.exec(raw.subarray(0, 16_384).toString('latin1'))?.[1] ?? 'no Message-ID';
    for (const { address } of envelope.rcptTo) {
      const marker = planOf(address)?.marker;
      // Mail that Postern sends itself, such as warnings about a sending domain, has no marker.
      if (marker === undefined) continue;
      const copy = { at: Date.now(), emailId, marker, recipient: address };
      this.taken.push(copy);
      this.file.write(`${JSON.stringify(copy)}\n`);
      this.onTaken({
        copy,
        envelopeFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
        envid: envelope.dsn?.envid ?? undefined,
        raw,
      });
    }
  }
}
