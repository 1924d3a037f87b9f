/** A steady load of real messages, each with a subject of its own, and what became of them. */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../control-plane.mjs';
import { mailbox } from './mail-client.mjs';

/** Sends until it is stopped. A refusal is retried with the same idempotency key, as the documentation asks of clients. */
export class Load {
  #isStopped = false;
  #running;
  answers = {};
  refusals = [];

  constructor(sender, prefix, intervalMs = 250) {
    this.sender = sender;
    // The mailbox is that of the whole run.
    this.prefix = `${prefix} ${Date.now()}`;
    this.sent = [];
    this.slowestMs = 0;
    this.#running = this.#run(intervalMs);
  }

  async #run(intervalMs) {
    const waiting = [];
    for (let number = 0; !this.#isStopped; number++) {
      waiting.push(this.#one(`${this.prefix} ${number}`));
      await pause(intervalMs);
    }
    await Promise.all(waiting);
  }

  async #one(subject) {
    for (let attempt = 0; attempt < 40; attempt++) {
      const start = performance.now();
      const answer = await this.sender
        .send(subject, { 'idempotency-key': subject })
        .catch(error => ({ status: error.cause?.code ?? error.name }));
      this.slowestMs = Math.max(this.slowestMs, performance.now() - start);
      this.answers[answer.status] = (this.answers[answer.status] ?? 0) + 1;
      if (answer.status === 200) {
        this.sent.push(subject);
        return;
      }
      this.refusals.push(`${subject}: ${answer.status} ${answer.text ?? ''}`);
      await pause(500);
    }
  }

  /** @returns {Promise<{ lost: string[], doubled: string[] }>} subjects that did not arrive exactly once. */
  async stop() {
    this.#isStopped = true;
    await this.#running;
    const copies = async () => {
      const found = new Map();
      for (const { subject } of await mailbox(this.sender.address)) found.set(subject, (found.get(subject) ?? 0) + 1);
      return found;
    };
    const lostIn = found => this.sent.filter(subject => !found.has(subject));
    await until('the last message', async () => lostIn(await copies()).length === 0, 30_000).catch(() => {});
    const found = await copies();
    return { lost: lostIn(found), doubled: this.sent.filter(subject => found.get(subject) > 1) };
  }
}
