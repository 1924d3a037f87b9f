const WITHIN_MS = 30_000;

/** A client of Postern that also reads the mailboxes of the mail simulator behind the relay. */
export class MailClient {
  #session;

  constructor(gateway, mailboxes) {
    this.gateway = gateway;
    this.mailboxes = mailboxes;
  }

  async logIn(email, password) {
    this.#session = (await this.dashboard('POST', '/session', { email, password })).token;
    this.service = await this.dashboard('POST', '/email-services', { name: 'Check' });
    this.key = (await this.dashboard('POST', `/email-services/${this.service.id}/api-keys`, { name: 'check' })).key;
  }

  dashboard(method, path, body) {
    return this.call(method, `/dashboard/api${path}`, body, { authorization: `Bearer ${this.#session}` });
  }

  /** @returns what the gateway answers, once the relay has taken the message. */
  send(to, subject = 'From one container to another') {
    const message = { from: 'me@example.com', to: [to], subject, text: 'It came through.' };
    return this.call('POST', '/emails', message, { 'api-key': this.key });
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

  /** The number of messages with this subject in the mailbox. */
  async copiesOf(subject, address) {
    const kept = /** @type {any[]} */ (
      await (await fetch(`${this.mailboxes}/messages?to=${encodeURIComponent(address)}`)).json()
    );
    return kept.filter(message => message.subject === subject).length;
  }

  async call(method, path, body, headers) {
    const response = await fetch(this.gateway + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }
}
