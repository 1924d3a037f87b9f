import { Injectable } from '@nestjs/common';
import { LISTENER_EXPIRY_S, MAX_LISTENERS } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { inSteps, inTransaction } from '@postern/event-sourcing/postgres';
import { Database, Every } from '@postern/service-host';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import {
  COUNT_LISTENERS,
  DELETE_EXPIRED,
  DELETE_LISTENER,
  DELETE_READ,
  FIND_EVENTS,
  FIND_LISTENERS,
  INSERT_LISTENER,
  LOCK_SERVICE,
  PURGE_EVENTS,
  TOUCH_LISTENER,
} from './listeners.sql.js';
import type { Listener, ListenerEvent, ListenerKey } from './ports.js';

const EVENTS_PER_READ = 100;

/**
 * The listeners of webhooks, and the events that they have not read, which the delivery queue adds. All replicas share them. They are
 * not event-sourced, because a listener lives only as long as the client that reads it.
 */
@Injectable()
export class ListenerRepository {
  readonly #pool: pg.Pool;

  constructor({ pool }: Database) {
    this.#pool = pool;
  }

  /** Refuses `too_many_listeners` above the limit, across all replicas. */
  create(serviceId: string): Promise<Listener> {
    return inTransaction(this.#pool, async client => {
      await client.query(LOCK_SERVICE, [serviceId]);
      const { rows: counted } = await client.query<{ count: number }>(COUNT_LISTENERS, [serviceId]);
      if ((counted[0]?.count ?? 0) >= MAX_LISTENERS) {
        const message = `an email service may have ${MAX_LISTENERS} listeners; end one, or wait until it expires`;
        throw new Refusal('too_many_listeners', message);
      }
      const id = uuidv7();
      const { rows } = await client.query<{ expires_at: Date }>(INSERT_LISTENER, [id, serviceId, LISTENER_EXPIRY_S]);
      return { id, expiresAt: rows[0]!.expires_at };
    });
  }

  /** Oldest first. */
  async list(serviceId: string): Promise<readonly Listener[]> {
    const { rows } = await this.#pool.query<{ id: string; expires_at: Date }>(FIND_LISTENERS, [serviceId]);
    return rows.map(({ id, expires_at }) => ({ id, expiresAt: expires_at }));
  }

  /** Deletes the events up to `after`, and postpones the expiry. Refuses `listener_not_found`. */
  async acknowledge({ listener_id, service_id }: ListenerKey, after: number): Promise<void> {
    const values = [listener_id, service_id, LISTENER_EXPIRY_S, after];
    const { rows } = await this.#pool.query<{ read_number: string }>(TOUCH_LISTENER, values);
    if (!rows[0]) throw notFound();
    if (after > 0) await this.#pool.query(DELETE_READ, [listener_id, rows[0].read_number]);
  }

  /** The next events after `after`, at most 100. */
  async eventsAfter(listenerId: string, after: number): Promise<readonly ListenerEvent[]> {
    const { rows } = await this.#pool.query<{ number: string; payload: string }>({
      name: 'read-listener',
      text: FIND_EVENTS,
      values: [listenerId, after, EVENTS_PER_READ],
    });
    return rows.map(({ number, payload }) => ({ number: Number(number), body: payload }));
  }

  /** Refuses `listener_not_found`. */
  async remove({ listener_id, service_id }: ListenerKey): Promise<void> {
    const { rowCount } = await this.#pool.query(DELETE_LISTENER, [listener_id, service_id]);
    if (rowCount === 0) throw notFound();
  }

  /** Deletes expired listeners, and events without a listener. */
  @Every(60_000, 'purge webhook listeners')
  async purge(): Promise<void> {
    await this.#pool.query(DELETE_EXPIRED);
    await inSteps(this.#pool, PURGE_EVENTS, []);
  }
}

const notFound = () =>
  new Refusal('listener_not_found', 'there is no such listener; it expires when it is not read for five minutes');
