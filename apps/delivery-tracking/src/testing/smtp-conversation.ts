import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate } from 'node:tls';

/** A client that says exactly what it is told, for mail that no decent client would send. */
export class SmtpConversation {
  #received = '';
  #socket: Socket;

  private constructor(port: number) {
    this.#socket = this.#listenTo(connect(port, '127.0.0.1'));
  }

  #listenTo<S extends Socket>(socket: S): S {
    socket.setEncoding('latin1');
    socket.on('data', text => {
      this.#received += text;
    });
    socket.on('error', () => undefined);
    return socket;
  }

  /** Connects and greets. */
  static async open(port: number): Promise<SmtpConversation> {
    const conversation = new SmtpConversation(port);
    await conversation.answer();
    await conversation.say('EHLO client.test');
    return conversation;
  }

  /** Connects; answers the code of the greeting. */
  static async greeting(port: number): Promise<{ conversation: SmtpConversation; code: number }> {
    const conversation = new SmtpConversation(port);
    return { conversation, code: await conversation.answer() };
  }

  /** Sends one line; answers the code of the reply. */
  async say(line: string): Promise<number> {
    this.#socket.write(`${line}\r\n`, 'latin1');
    return this.answer();
  }

  /** Goes over to TLS, whoever vouches for the server, and greets again; answers its certificate. */
  async startTls(): Promise<PeerCertificate> {
    const code = await this.say('STARTTLS');
    if (code !== 220) throw new Error(`STARTTLS was answered with ${code}`);
    this.#socket.removeAllListeners('data');
    const encrypted = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(encrypted, 'secureConnect');
    this.#socket = this.#listenTo(encrypted);
    await this.say('EHLO client.test');
    return encrypted.getPeerCertificate();
  }

  /** Sends a whole message; answers the code of the first refusal, or of the reply to its end. */
  async send(sender: string, recipients: readonly string[], message: string | Buffer): Promise<number> {
    const from = await this.say(`MAIL FROM:<${sender}>`);
    if (from >= 400) return from;
    for (const recipient of recipients) {
      const code = await this.say(`RCPT TO:<${recipient}>`);
      if (code >= 400) return code;
    }
    const data = await this.say('DATA');
    if (data >= 400) return data;
    this.#socket.write(message);
    return this.say('\r\n.');
  }

  /** Breaks off without a word. */
  async breakOff(): Promise<void> {
    this.#socket.destroy();
    if (!this.#socket.closed) await once(this.#socket, 'close');
  }

  /** Says nothing until the server has had enough. */
  async silence(): Promise<'closed'> {
    if (!this.#socket.closed) await once(this.#socket, 'close');
    return 'closed';
  }

  async quit(): Promise<void> {
    if (!this.#socket.destroyed) this.#socket.end('QUIT\r\n');
    if (!this.#socket.closed) await once(this.#socket, 'close');
  }

  private news(): Promise<void> {
    return new Promise(resolve => {
      const heard = () => {
        this.#socket.off('data', heard).off('close', heard);
        resolve();
      };
      this.#socket.on('data', heard).on('close', heard);
    });
  }

  private async answer(): Promise<number> {
    for (;;) {
      const last = /(?:^|\r\n)(\d{3}) [^\r\n]*\r\n$/.exec(this.#received);
      if (last) {
        this.#received = '';
        return Number(last[1]);
      }
      if (this.#socket.closed) return 0;
      await this.news();
    }
  }
}

/** One message over a connection of its own; answers the code of its last reply. */
export const sendMail = async (
  port: number,
  { from = '', to, message }: { from?: string; to: string | readonly string[]; message: string | Buffer },
): Promise<number> => {
  const conversation = await SmtpConversation.open(port);
  const code = await conversation.send(from, [to].flat(), message);
  await conversation.quit();
  return code;
};
