import type { Backend } from '@postern/load-balancer-client';
import { RollFailed, type ServicePlan } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import type { RuntimeTimes } from './runtime-times.js';
import { Slot, type SlotOwner } from './slot.js';

export interface FleetHost {
  readonly times: RuntimeTimes;
  startInstance(plan: ServicePlan): Promise<Instance>;
  /** Whether this process still is the one that looks after instances, and may end any. */
  isOurs(): Promise<boolean>;
  /** One line into the service's log, for its owner. */
  logLine(words: string): void;
}

export interface FleetListener {
  onChange(): void;
  onFailure(words: string): void;
}

/**
 * The instances of one roll. Adopted ones may be there before their plan is known; then they are looked after, but
 * none takes the place of one that fails.
 */
export class Fleet implements SlotOwner {
  readonly times: RuntimeTimes;
  #slots: Slot[];
  #plan: ServicePlan | undefined;
  #established = false;
  #restarted = 0;

  constructor(
    readonly rollId: string,
    private readonly host: FleetHost,
    private readonly listener: FleetListener,
    adopted: readonly Instance[] = [],
    answered: ReadonlySet<string> = new Set(),
  ) {
    this.times = host.times;
    this.#slots = adopted.map(instance => new Slot(this, { instance, answered: answered.has(instance.record.id) }));
  }

  get plan(): ServicePlan | undefined {
    return this.#plan;
  }

  get size(): number {
    return this.#slots.length;
  }

  get instances(): readonly Instance[] {
    return this.#slots.flatMap(({ instance }) => instance ?? []);
  }

  /** How many instances took the place of one that had failed. */
  get restarted(): number {
    return this.#restarted;
  }

  /** Those that answer. */
  get backends(): readonly Backend[] {
    return this.#slots.flatMap(({ healthy, instance }) => (healthy && instance ? instance.backend : []));
  }

  /** Starts what is missing to `size` instances of the plan. */
  fill(plan: ServicePlan, size: number): void {
    this.#plan = plan;
    this.#slots = this.#slots.filter(({ failed }) => failed === undefined);
    while (this.#slots.length < size) this.#slots.push(new Slot(this));
  }

  /** From now on an instance that fails is followed by another. */
  establish(): void {
    this.#established = true;
  }

  /** Takes out the newest slots; they are the caller's to drain and retire. */
  shrinkTo(size: number): readonly Slot[] {
    return this.#slots.splice(size);
  }

  /**
   * Resolves when all instances answer.
   * @throws RollFailed as soon as one has failed, or at the deadline; the signal's reason when that comes first.
   */
  async untilHealthy(deadlineMs: number, signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.timeout(deadlineMs);
    const end = AbortSignal.any([deadline, signal]);
    while (!this.#slots.every(({ healthy }) => healthy)) {
      const failed = this.#slots.find(slot => slot.failed !== undefined)?.failed;
      if (failed !== undefined) throw new RollFailed(failed);
      signal.throwIfAborted();
      if (deadline.aborted) throw new RollFailed(this.#silence(deadlineMs));
      await this.#nextChange(end);
    }
  }

  /** Ends all of it. */
  async retire(graceMs?: number): Promise<void> {
    await Promise.all(this.#slots.map(slot => slot.retire(graceMs)));
  }

  /** Leaves everything running, for the next process. */
  async detach(): Promise<void> {
    await Promise.all(this.#slots.map(slot => slot.detach()));
  }

  start(): Promise<Instance> {
    if (!this.#plan) return Promise.reject(new Error(`nobody has said how roll ${this.rollId} is started`));
    return this.host.startInstance(this.#plan);
  }

  restarts(): boolean {
    return this.#established && this.#plan !== undefined;
  }

  canStart(): boolean {
    return this.#plan !== undefined;
  }

  firstAnswerMs(): number {
    return this.#plan?.deadlineMs ?? this.times.unhealthyUntilRestartMs;
  }

  onChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.listener.onChange();
  }

  onFailure(words: string): void {
    if (this.restarts()) this.#restarted += 1;
    this.listener.onFailure(words);
  }

  #changed = Promise.withResolvers<void>();

  async #nextChange(end: AbortSignal): Promise<void> {
    const stop = () => this.#changed.resolve();
    if (end.aborted) return;
    end.addEventListener('abort', stop, { once: true });
    await this.#changed.promise;
    end.removeEventListener('abort', stop);
  }

  #silence(deadlineMs: number): string {
    const silent = this.#slots.filter(({ healthy }) => !healthy);
    const answers = [...new Set(silent.map(({ lastAnswer }) => lastAnswer))].join('; ');
    const count = `${silent.length} of ${this.size} instances`;
    return `${count} did not answer as they should within ${deadlineMs / 1_000} s: ${answers}`;
  }
}
