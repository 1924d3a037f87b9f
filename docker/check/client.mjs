import { Agent, request } from 'node:https';

const WITHIN_MS = 60_000;
const HOST = 'postern.example.com';

/** Requests to Caddy, which has certificates of its own authority in the check. */
export class Front {
  #agent = new Agent({ rejectUnauthorized: false });

  constructor(port) {
    this.port = port;
  }

  /** @returns the status, or 0 if there was no response, and the text */
  call(method, path, { host = HOST, body = undefined, headers = {}, timeoutMs = WITHIN_MS } = {}) {
    return new Promise(resolve => {
      const fail = error => resolve({ status: 0, text: error.message });
      const sent = request({
        host: '127.0.0.1',
        ...{ port: this.port, servername: host, agent: this.#agent, method, path, timeout: timeoutMs },
        headers: { host, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      });
      sent.on('response', response =>
        response
          .setEncoding('utf8')
          .toArray()
          .then(parts => resolve({ status: response.statusCode, text: parts.join('') }), fail),
      );
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeoutMs / 1_000} s`)));
      sent.on('error', fail);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** A client of Postern that also reads the mailboxes of the mail simulator behind the relay. */
export class MailClient {
  #session;

  constructor(front, mailboxes) {
    this.front = front;
    this.mailboxes = mailboxes;
  }

  async logIn(email, password) {
    this.#session = (await this.dashboard('POST', '/session', { email, password })).token;
    this.service = await this.dashboard('POST', '/email-services', { name: 'Check' });
    this.key = (await this.dashboard('POST', `/email-services/${this.service.id}/api-keys`, { name: 'check' })).key;
  }

  dashboard(method, path, body) {
    return this.json(method, `/dashboard/api${path}`, body, { authorization: `Bearer ${this.#session}` });
  }

  /** @returns what the gateway answers, once the relay has taken the message. */
  async send(to, subject = 'From one container to another') {
    const { status, text } = await this.trySending(to, subject);
    if (status !== 200) throw new Error(`POST /emails answered ${status}: ${text}`);
    return JSON.parse(text);
  }

  /** @returns the status, or 0 if there was no response, and the text */
  trySending(to, subject, headers = {}) {
    const body = { from: 'me@example.com', to: [to], subject, text: 'It came through.' };
    return this.front.call('POST', '/emails', { body, headers: { 'api-key': this.key, ...headers } });
  }

  /** Waits until the dashboard shows this status for the recipient. */
  async becomes(id, outcome) {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      // The dashboard may not show the message yet.
      const email = await this.dashboard('GET', `/email-services/${this.service.id}/emails/${id}`).catch(String);
      if (email.recipients?.[0]?.state === outcome) return;
      if (Date.now() > deadline) throw new Error(`the message is not ${outcome}: ${JSON.stringify(email)}`);
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }

  /** The subjects of the messages in the mailbox, each as often as it arrived. */
  async subjectsFor(address) {
    const kept = /** @type {any[]} */ (
      await (await fetch(`${this.mailboxes}/messages?to=${encodeURIComponent(address)}`)).json()
    );
    return kept.map(message => message.subject);
  }

  async json(method, path, body, headers) {
    const { status, text } = await this.front.call(method, path, { body, headers });
    if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return JSON.parse(text);
  }
}
