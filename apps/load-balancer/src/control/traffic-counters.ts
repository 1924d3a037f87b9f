import { randomUUID } from 'node:crypto';
import { type CountedTraffic, countedTraffic, type TrafficConfirmation } from '@postern/load-balancer-client';
import type { DurableFile } from './durable-file.js';

export const trafficShape = countedTraffic;

/**
 * Bytes by service, in and out: sums that only grow within an epoch, and the part of them that is confirmed. Confirmed
 * bytes are never reported again; after a kill the sums may lack the bytes of about one second.
 */
export class TrafficCounters {
  #epoch: string = randomUUID();
  #total = new Map<string, number>();
  #confirmed = new Map<string, number>();
  #changed = false;

  constructor(private readonly file: DurableFile<CountedTraffic>) {}

  async load(): Promise<void> {
    const found = await this.file.load();
    if (!found) return;
    this.#epoch = found.epoch;
    this.#total = new Map(Object.entries(found.total));
    this.#confirmed = new Map(Object.entries(found.confirmed));
  }

  add(serviceId: string, bytes: number): void {
    if (bytes <= 0) return;
    this.#total.set(serviceId, (this.#total.get(serviceId) ?? 0) + bytes);
    this.#changed = true;
  }

  counted(): CountedTraffic {
    return {
      epoch: this.#epoch,
      total: Object.fromEntries(this.#total),
      confirmed: Object.fromEntries(this.#confirmed),
    };
  }

  /**
   * Durable when it returns. Sums that were read before a kill may exceed the saved ones; they are accepted.
   * @returns false for sums of another epoch
   */
  async confirm({ epoch, upTo }: TrafficConfirmation, stillThere: (serviceId: string) => boolean): Promise<boolean> {
    if (epoch !== this.#epoch) return false;
    for (const [serviceId, bytes] of Object.entries(upTo)) {
      const confirmed = Math.max(bytes, this.#confirmed.get(serviceId) ?? 0);
      const total = Math.max(confirmed, this.#total.get(serviceId) ?? 0);
      this.#confirmed.set(serviceId, confirmed);
      this.#total.set(serviceId, total);
      if (confirmed < total || stillThere(serviceId)) continue;
      this.#confirmed.delete(serviceId);
      this.#total.delete(serviceId);
    }
    this.#changed = true;
    await this.save();
    return true;
  }

  /** Does nothing if the counters have not changed since the last save. */
  async save(): Promise<void> {
    if (!this.#changed) return;
    this.#changed = false;
    await this.file.save(this.counted()).catch((error: unknown) => {
      this.#changed = true;
      throw error;
    });
  }
}
