import { setTimeout as delay } from 'node:timers/promises';
import type { Instance } from '../instances/instance.js';
import { Backoff } from './backoff.js';
import type { RuntimeTimes } from './runtime-times.js';

/** What a slot asks of the fleet that it belongs to. */
export interface SlotOwner {
  readonly times: RuntimeTimes;
  start(): Promise<Instance>;
  /** How long a new instance may take to answer. */
  firstAnswerMs(): number;
  /** Whether a failed instance is followed by another. */
  restarts(): boolean;
  /** Whether it is known how an instance is started. */
  canStart(): boolean;
  onChange(): void;
  onFailure(words: string): void;
}

/** Somebody else took the port between our picking it and the instance's listening on it. */
const PORT_TAKEN = /EADDRINUSE|address already in use/i;
const STARTS_ON_TAKEN_PORTS = 3;

/**
 * Keeps one instance running: starts it, asks it, puts another in its place when it fails. There is never more than one
 * at a time, and none when `retire` has resolved.
 */
export class Slot {
  readonly #retiring = new AbortController();
  readonly #backoff: Backoff;
  readonly #work: Promise<void>;
  #instance: Instance | undefined;
  #healthySince: number | undefined;
  #answer = 'it was not started yet';
  #failed: string | undefined;
  #graceMs: number;
  #healthyMs = 0;
  #detach = false;

  constructor(
    private readonly owner: SlotOwner,
    adopted?: { readonly instance: Instance; readonly answered: boolean },
  ) {
    this.#graceMs = owner.times.graceMs;
    this.#instance = adopted?.instance;
    if (adopted?.answered) this.#healthySince = performance.now();
    this.#backoff = new Backoff(owner.times.backoff);
    this.#work = this.#keep();
  }

  /** The running instance, whether it answers or not. */
  get instance(): Instance | undefined {
    return this.#instance;
  }

  get healthy(): boolean {
    return this.#healthySince !== undefined;
  }

  /** Why there is no instance, where none will follow; then also the slot's last answer. */
  get failed(): string | undefined {
    return this.#failed;
  }

  /** What it said last when it was asked. */
  get lastAnswer(): string {
    return this.#answer;
  }

  /** Ends its instance, for good. */
  async retire(graceMs = this.owner.times.graceMs): Promise<void> {
    this.#graceMs = graceMs;
    this.#retiring.abort();
    await this.#work;
    await this.#instance?.end(graceMs);
    this.#instance = undefined;
  }

  /** Stops looking after the instance, and leaves it running. */
  async detach(): Promise<void> {
    this.#detach = true;
    this.#retiring.abort();
    await this.#work;
    await this.#instance?.detach();
  }

  async #keep(): Promise<void> {
    // One that was taken over may have been told to end before; that says nothing about the next.
    let takenOver = this.#instance !== undefined;
    for (let starts = 1; !this.#retiring.signal.aborted; starts += 1) {
      const words = await this.#runOne();
      if (words === undefined) return;
      if (this.#retiring.signal.aborted) return;
      this.owner.onFailure(words);
      const again = this.owner.restarts();
      if (!again && takenOver && this.owner.canStart()) {
        takenOver = false;
        continue;
      }
      if (!again && PORT_TAKEN.test(words) && starts < STARTS_ON_TAKEN_PORTS) continue;
      if (!again) this.#failed = words;
      this.owner.onChange();
      if (!again) return;
      await this.#pause(this.#backoff.next(this.#healthyMs));
    }
  }

  /** Answers why it came to its end; undefined when the slot is retiring, with the instance still there to be ended. */
  async #runOne(): Promise<string | undefined> {
    this.#healthyMs = 0;
    try {
      this.#instance ??= await this.owner.start();
      const instance = this.#instance;
      const words = await this.#watch(instance);
      if (words === undefined) return undefined;
      // One that does not answer is still asked to end; one that has ended has nothing to be asked.
      await instance.end(this.#graceMs);
      this.#instance = undefined;
      return [`${instance.record.name} ${words}`, ...instance.lastErrors].join('\n');
    } catch (error) {
      await this.#instance?.end(0).catch(() => {});
      this.#instance = undefined;
      return `could not be started: ${(error as Error).message}`;
    }
  }

  /** Asks it again and again; answers why it has to go, or undefined when the slot is retiring. */
  async #watch(instance: Instance): Promise<string | undefined> {
    const over = new AbortController();
    let ended: string | undefined;
    void instance.exited.then(words => {
      ended = words;
      over.abort();
      this.#become(false);
    });
    const stop = () => over.abort();
    const end = new Promise<string>(resolve => over.signal.addEventListener('abort', () => resolve('')));
    this.#retiring.signal.addEventListener('abort', stop, { once: true });
    try {
      const { times } = this.owner;
      const startedAt = performance.now();
      let lastWell = this.#healthySince;
      for (let failures = 0; !over.signal.aborted; ) {
        const answer = await Promise.race([instance.probe(times.probeTimeoutMs), end]);
        if (over.signal.aborted) break;
        const now = performance.now();
        failures = answer === undefined ? 0 : failures + 1;
        this.#answer = answer ?? 'it answers';
        if (answer === undefined) {
          lastWell = now;
          this.#become(true);
        } else if (failures >= times.failuresUntilUnhealthy) this.#become(false);
        const patienceMs = lastWell === undefined ? this.owner.firstAnswerMs() : times.unhealthyUntilRestartMs;
        if (answer !== undefined && now - (lastWell ?? startedAt) > patienceMs && this.owner.restarts())
          return `did not answer any more: ${answer}`;
        await delay(lastWell === undefined ? times.firstProbesMs : times.probesMs, undefined, {
          signal: over.signal,
        }).catch(() => {});
      }
      return ended;
    } finally {
      this.#retiring.signal.removeEventListener('abort', stop);
      if (!this.#detach) this.#become(false);
    }
  }

  #become(healthy: boolean): void {
    if (healthy === this.healthy) return;
    if (this.#healthySince !== undefined) this.#healthyMs = performance.now() - this.#healthySince;
    this.#healthySince = healthy ? performance.now() : undefined;
    this.owner.onChange();
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#retiring.signal }).catch(() => {});
  }
}
