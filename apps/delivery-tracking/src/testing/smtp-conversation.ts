import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate } from 'node:tls';

/** A client that sends exact lines, for mail that conforming clients would not send. */
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

  /** Connects and sends EHLO. */
  static async open(port: number): Promise<SmtpConversation> {
    const conversation = new SmtpConversation(port);
    await conversation.reply();
    await conversation.send('EHLO client.test');
    return conversation;
  }

  /** Connects; returns the code of the greeting. */
  static async greeting(port: number): Promise<{ conversation: SmtpConversation; code: number }> {
    const conversation = new SmtpConversation(port);
    return { conversation, code: await conversation.reply() };
  }

  /** Sends one line; returns the code of the reply. */
  async send(line: string): Promise<number> {
    this.#socket.write(`${line}\r\n`, 'latin1');
    return this.reply();
  }

  /** Switches to TLS without verifying the server, and sends EHLO again; returns the server's certificate. */
  async startTls(): Promise<PeerCertificate> {
    const code = await this.send('STARTTLS');
    if (code !== 220) throw new Error(`the reply to STARTTLS was ${code}`);
    this.#socket.removeAllListeners('data');
    const encrypted = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(encrypted, 'secureConnect');
    this.#socket = this.#listenTo(encrypted);
    await this.send('EHLO client.test');
    return encrypted.getPeerCertificate();
  }

  /** Sends a message; returns the code of the first refusal, or of the reply to the message. */
  async sendMessage(sender: string, recipients: readonly string[], message: string | Buffer): Promise<number> {
    const from = await this.send(`MAIL FROM:<${sender}>`);
    if (from >= 400) return from;
    for (const recipient of recipients) {
      const code = await this.send(`RCPT TO:<${recipient}>`);
      if (code >= 400) return code;
    }
    const data = await this.send('DATA');
    if (data >= 400) return data;
    this.#socket.write(message);
    return this.send('\r\n.');
  }

  /** Closes the connection without QUIT. */
  async disconnect(): Promise<void> {
    this.#socket.destroy();
    if (!this.#socket.closed) await once(this.#socket, 'close');
  }

  /** Waits until the server closes the connection. */
  async waitForClose(): Promise<'closed'> {
    if (!this.#socket.closed) await once(this.#socket, 'close');
    return 'closed';
  }

  async quit(): Promise<void> {
    if (!this.#socket.destroyed) this.#socket.end('QUIT\r\n');
    if (!this.#socket.closed) await once(this.#socket, 'close');
  }

  private nextData(): Promise<void> {
    return new Promise(resolve => {
      const received = () => {
        this.#socket.off('data', received).off('close', received);
        resolve();
      };
      this.#socket.on('data', received).on('close', received);
    });
  }

  private async reply(): Promise<number> {
    for (;;) {
      const last = /(?:^|\r\n)(\d{3}) [^\r\n]*\r\n$/.exec(this.#received);
      if (last) {
        this.#received = '';
        return Number(last[1]);
      }
      if (this.#socket.closed) return 0;
      await this.nextData();
    }
  }
}

/** Sends one message over a new connection; returns the code of the last reply. */
export const sendMail = async (
  port: number,
  { from = '', to, message }: { from?: string; to: string | readonly string[]; message: string | Buffer },
): Promise<number> => {
  const conversation = await SmtpConversation.open(port);
  const code = await conversation.sendMessage(from, [to].flat(), message);
  await conversation.quit();
  return code;
};
