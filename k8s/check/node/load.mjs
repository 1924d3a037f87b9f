/** A steady load of real messages with unique subjects, and their delivery results. */
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../control-plane.mjs';
import { mailbox } from './mail-client.mjs';

/** Timeout of a client, longer than any operation of the stages under load. */
const RETRIES_END_AFTER_MS = 300_000;
const LONGEST_PAUSE_MS = 5_000;
const LAST_ARRIVES_WITHIN_MS = 120_000;
/** Waits for duplicates, which arrive later than the first copy. */
const COPIES_ARRIVE_WITHIN_MS = 5_000;

/**
 * @param messages of the mailbox of the whole run.
 * @returns subjects that were accepted and did not arrive, that arrived more than once, accepted or not, and that no retry got
 *   accepted.
 */
export const resultOf = ({ prefix, sent, abandoned }, messages) => {
  const copies = new Map();
  for (const { subject } of messages.filter(each => each.subject.startsWith(`${prefix} `)))
    copies.set(subject, (copies.get(subject) ?? 0) + 1);
  return {
    lost: sent.filter(subject => !copies.has(subject)),
    doubled: [...copies].filter(([, count]) => count > 1).map(([subject]) => subject),
    abandoned,
  };
};

/** Sends until it is stopped. Retries failed requests with the same idempotency key, as documented for clients. */
export class Load {
  #isStopped = false;
  #running;
  answers = {};
  refusals = [];
  abandoned = [];
  failed = [];

  constructor(sender, prefix, intervalMs = 250) {
    this.sender = sender;
    // The whole run shares one mailbox.
    this.prefix = `${prefix} ${Date.now()}`;
    this.sent = [];
    this.ids = [];
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
    const end = Date.now() + RETRIES_END_AFTER_MS;
    for (let attempt = 1; Date.now() < end; attempt++) {
      const start = performance.now();
      const answer = await this.sender
        .send(subject, { 'idempotency-key': subject })
        .catch(error => ({ status: error.cause?.code ?? error.name }));
      this.slowestMs = Math.max(this.slowestMs, performance.now() - start);
      this.answers[answer.status] = (this.answers[answer.status] ?? 0) + 1;
      if (answer.status === 200) {
        const { id, status } = answer.body;
        if (status === 'sent') {
          this.sent.push(subject);
          this.ids.push(id);
        } else this.failed.push(`${subject}: ${answer.text}`);
        return;
      }
      this.refusals.push(`${subject}: ${answer.status} ${answer.text ?? ''}`);
      await pause(Math.min(attempt * 500, LONGEST_PAUSE_MS));
    }
    this.abandoned.push(subject);
  }

  /** @returns {Promise<ReturnType<typeof resultOf>>} what became of the messages, once nothing more can arrive. */
  async stop() {
    this.#isStopped = true;
    await this.#running;
    const result = async () => resultOf(this, await mailbox(this.sender.address));
    const isComplete = async () => (await result()).lost.length === 0;
    await until('the last message', isComplete, LAST_ARRIVES_WITHIN_MS).catch(() => {});
    await pause(COPIES_ARRIVE_WITHIN_MS);
    return result();
  }
}
