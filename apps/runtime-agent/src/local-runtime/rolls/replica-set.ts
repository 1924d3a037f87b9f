import type { Backend } from '@postern/load-balancer-client';
import { RollFailed, type RuntimeStatus, type ServicePlan } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import { CrashLoop } from './crash-loop.js';
import { Replica, type ReplicaOwner } from './replica.js';
import type { RuntimeTimes } from './runtime-times.js';

export interface ReplicaSetHost {
  readonly times: RuntimeTimes;
  /** Starts a process that gets the traffic of `publicHost`. */
  startInstance(plan: ServicePlan, publicHost: string | undefined): Promise<Instance>;
  /** Starts a process type without traffic. */
  startProcess(plan: ServicePlan, processType: string): Promise<Instance>;
  /** Checks the process types of a plan and runs its release command once. @throws RollFailed when either fails. */
  release(plan: ServicePlan, signal: AbortSignal): Promise<void>;
  /** Whether this process still supervises the instances and may end them. */
  isOurs(): Promise<boolean>;
  /** Writes a line to the web service's log. */
  logLine(line: string): void;
}

export interface ReplicaSetListener {
  /** The host under which visitors reach the service; undefined without traffic or before its address is known. */
  readonly publicHost?: string | undefined;
  onChange(): void;
  onFailure(reason: string): void;
}

/**
 * The replicas of one roll. Adopted replicas may exist before their plan is known; they are probed, but a failed one is
 * not replaced until the plan is known.
 */
export class ReplicaSet implements ReplicaOwner {
  readonly times: RuntimeTimes;
  #replicas: Replica[];
  #plan: ServicePlan | undefined;
  #established = false;
  #restarted = 0;
  readonly #crashes = new CrashLoop();

  constructor(
    readonly rollId: string,
    private readonly host: ReplicaSetHost,
    private readonly listener: ReplicaSetListener,
    adopted: readonly Instance[] = [],
    answered: ReadonlySet<string> = new Set(),
    readonly processType?: string,
  ) {
    this.times = host.times;
    this.#replicas = adopted.map(
      instance => new Replica(this, { instance, answered: answered.has(instance.record.id) }),
    );
  }

  get plan(): ServicePlan | undefined {
    return this.#plan;
  }

  /** How long requests in progress may take when the instances end. */
  get drainMs(): number {
    // The plan of an adopted release that ends is not known.
    const { drainSeconds: seconds } = this.#plan ?? this.instances[0]?.record ?? {};
    return seconds === undefined ? this.times.drainMs : seconds * 1_000;
  }

  get size(): number {
    return this.#replicas.length;
  }

  get instances(): readonly Instance[] {
    return this.#replicas.flatMap(({ instance }) => instance ?? []);
  }

  /** A description of the crash loop for users; undefined if there is none. */
  get crashLoop(): string | undefined {
    return this.#crashes.describe(this.#replicas.length, performance.now());
  }

  /** The healthy instances. */
  get backends(): readonly Backend[] {
    return this.#replicas.flatMap(({ healthy, instance }) => (healthy && instance?.backend) || []);
  }

  /** @param lastFailure of any release of the service. */
  status(lastFailure: string | undefined): RuntimeStatus {
    const { rollId, backends, instances, crashLoop } = this;
    const failure = lastFailure && (crashLoop ? `${crashLoop}: ${lastFailure}` : lastFailure);
    const full = instances.find(({ fullArea }) => fullArea !== undefined)?.fullArea;
    return {
      rollId,
      // Instances in a crash loop may be healthy between two failures.
      healthy: crashLoop ? 0 : backends.length,
      instances: instances.length,
      lastFailure: crashLoop ? failure : (full ?? failure),
      restarts: this.#restarted,
    };
  }

  /** Adds replicas until there are `size`; removes failed ones first. */
  fill(plan: ServicePlan, size: number): void {
    this.#plan = plan;
    this.#replicas = this.#replicas.filter(({ failed }) => failed === undefined);
    while (this.#replicas.length < size) this.#replicas.push(new Replica(this));
  }

  /** From now on a failed instance is replaced. */
  establish(): void {
    this.#established = true;
  }

  /** Removes the newest replicas; the caller drains and retires them. */
  shrinkTo(size: number): readonly Replica[] {
    return this.#replicas.splice(size);
  }

  /**
   * Resolves when all replicas have been healthy for `observationMs`, which the deadline does not include.
   * @throws RollFailed as soon as one has failed, or at the deadline; the signal's reason if the signal aborts first.
   */
  async untilHealthy(deadlineMs: number, observationMs: number, signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.timeout(Math.min(deadlineMs, graceMsOf(this.#plan) ?? deadlineMs));
    for (let left = this.#observationLeft(observationMs); left !== 0; left = this.#observationLeft(observationMs)) {
      const failed = this.#replicas.find(replica => replica.failed !== undefined)?.failed;
      if (failed !== undefined) throw new RollFailed(failed);
      signal.throwIfAborted();
      if (left === undefined && deadline.aborted) throw new RollFailed(this.#silence());
      await this.#nextChange(AbortSignal.any([signal, left === undefined ? deadline : AbortSignal.timeout(left)]));
    }
  }

  /** Stops the supervision of all replicas, and returns the instances that are left to drain. */
  async release(): Promise<readonly Instance[]> {
    await Promise.all(this.#replicas.map(replica => replica.release()));
    return this.instances;
  }

  /** Supervises the instances again that `release` left running. */
  resume(): void {
    this.#replicas = this.instances.map(instance => new Replica(this, { instance, answered: true }));
  }

  /** Ends all replicas. */
  async retire(graceMs?: number): Promise<void> {
    await Promise.all(this.#replicas.map(replica => replica.retire(graceMs)));
  }

  /** Stops the supervision and leaves the instances running. */
  async detach(): Promise<void> {
    await Promise.all(this.#replicas.map(replica => replica.detach()));
  }

  start(): Promise<Instance> {
    if (!this.#plan) return Promise.reject(new Error(`the plan of roll ${this.rollId} is not known`));
    return this.processType === undefined
      ? this.host.startInstance(this.#plan, this.listener.publicHost)
      : this.host.startProcess(this.#plan, this.processType);
  }

  restarts(): boolean {
    return this.#established && this.#plan !== undefined;
  }

  canStart(): boolean {
    return this.#plan !== undefined;
  }

  firstAnswerMs(): number {
    return graceMsOf(this.#plan) ?? this.#plan?.deadlineMs ?? this.times.unhealthyUntilRestartMs;
  }

  onChange(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    this.listener.onChange();
  }

  onFailure(reason: string): void {
    if (this.restarts()) {
      this.#restarted += 1;
      this.#crashes.record(performance.now());
    }
    this.listener.onFailure(reason);
  }

  #changed = Promise.withResolvers<void>();

  async #nextChange(end: AbortSignal): Promise<void> {
    const stop = () => this.#changed.resolve();
    if (end.aborted) return;
    end.addEventListener('abort', stop, { once: true });
    await this.#changed.promise;
    end.removeEventListener('abort', stop);
  }

  /** Milliseconds until all replicas have been healthy for that long; undefined while one is not healthy. */
  #observationLeft(observationMs: number): number | undefined {
    const left = this.#replicas.map(({ healthyForMs }) => observationMs - (healthyForMs ?? Number.NaN));
    return left.some(Number.isNaN) ? undefined : Math.ceil(Math.max(0, ...left));
  }

  #silence(): string {
    const silent = this.#replicas.filter(({ healthy }) => !healthy);
    const answers = [...new Set(silent.map(({ lastAnswer }) => lastAnswer))].join('; ');
    return `${silent.length} of ${this.size} instances did not pass the health check: ${answers}`;
  }
}

/** While no instance runs until the next request. */
export const asleepStatus = ({ rollId }: ServicePlan): RuntimeStatus => {
  return { rollId, healthy: 0, instances: 0, lastFailure: undefined, restarts: 0, asleep: true };
};

const graceMsOf = (plan: ServicePlan | undefined): number | undefined => {
  const seconds = plan?.healthCheck?.graceSeconds;
  return seconds === undefined ? undefined : seconds * 1_000;
};
