import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { listWebhookListeners, type ReplyOf, type RequestOf, readWebhookListener } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ListenerRepository } from './listener-repository.js';

const POLL_MS = 250;
/** Waiting reads occupy handlers of the service, which all requests share; further reads return at once. */
const MAX_WAITING = 32;

/** Queries of listeners. A read acknowledges the events before its position, so that each event arrives at least once. */
@Injectable()
export class WebhookListeners {
  #waiting = 0;

  constructor(private readonly listeners: ListenerRepository) {}

  @Handles(listWebhookListeners)
  async list({ service_id }: RequestOf<typeof listWebhookListeners>): Promise<ReplyOf<typeof listWebhookListeners>> {
    const listeners = await this.listeners.list(service_id);
    return listeners.map(({ id, expiresAt }) => ({ id, expires_at: expiresAt.toISOString() }));
  }

  /** Refuses `listener_not_found`. */
  @Handles(readWebhookListener)
  async read(request: RequestOf<typeof readWebhookListener>): Promise<ReplyOf<typeof readWebhookListener>> {
    const { listener_id, after, wait_s } = request;
    await this.listeners.acknowledge(request, after);
    const read = () => this.listeners.eventsAfter(listener_id, after);
    const events = await read();
    if (events.length > 0 || wait_s === 0 || this.#waiting >= MAX_WAITING) return { events: [...events] };
    this.#waiting++;
    try {
      return { events: [...(await repeatedUntilSome(read, wait_s * 1_000))] };
    } finally {
      this.#waiting--;
    }
  }
}

const repeatedUntilSome = async <Item>(
  read: () => Promise<readonly Item[]>,
  waitMs: number,
): Promise<readonly Item[]> => {
  const endsAt = Date.now() + waitMs;
  for (;;) {
    await delay(POLL_MS);
    const items = await read();
    if (items.length > 0 || Date.now() + POLL_MS > endsAt) return items;
  }
};
