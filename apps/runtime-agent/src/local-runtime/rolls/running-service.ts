import type { Backend, BalancerRoute } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import { RollFailed, type RuntimeStatus, type ServicePlan } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import { ReplicaSet, type ReplicaSetHost, type ReplicaSetListener } from './replica-set.js';
import type { Traffic } from './traffic.js';

const TRAFFIC_RETRY_MS = 1_000;

/**
 * One web service on this machine: the replica set that serves, at most one that starts, and older ones that end.
 * Orders run one after another.
 */
export class RunningService implements ReplicaSetListener {
  readonly #replicaSets = new Map<string, ReplicaSet>();
  #serving: ReplicaSet | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #orders = 0;
  #rolling: AbortController | undefined;
  #lastFailure: string | undefined;
  #following: Promise<void> | undefined;
  #followAgain = false;
  #followLater: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();

  constructor(
    readonly webServiceId: string,
    private readonly host: ReplicaSetHost,
    private readonly traffic: Traffic,
    private readonly log: Log,
  ) {}

  get busy(): boolean {
    return this.#orders > 0;
  }

  get serving(): ReplicaSet | undefined {
    return this.#serving;
  }

  get instances(): readonly Instance[] {
    return [...this.#replicaSets.values()].flatMap(({ instances }) => instances);
  }

  /** Whether a replica set belongs to one of these rolls. */
  belongsTo(rollIds: ReadonlySet<string>): boolean {
    return [...this.#replicaSets.keys()].some(rollId => rollIds.has(rollId));
  }

  /** Adopts instances of an earlier process; `routed` names those with traffic. */
  adopt(instances: readonly Instance[], routed: ReadonlySet<string>): void {
    for (const [rollId, members] of Map.groupBy(instances, ({ record }) => record.rollId)) {
      const replicaSet = new ReplicaSet(rollId, this.host, this, members, routed);
      this.#replicaSets.set(rollId, replicaSet);
      if (members.some(({ record }) => routed.has(record.id))) this.#serving = replicaSet;
    }
  }

  roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    return this.#order(() => this.#roll(plan, signal));
  }

  /** Ends all instances. A roll in progress fails. */
  stop(): Promise<void> {
    this.#rolling?.abort(new RollFailed('the service was stopped'));
    return this.#order(async () => {
      await this.traffic.close();
      this.#serving = undefined;
      await this.#retire([...this.#replicaSets.values()]);
      this.#lastFailure = undefined;
    });
  }

  /** Makes exactly this plan run, without waiting until it is healthy. `route` is the load balancer's current route. */
  maintain(plan: ServicePlan, route: BalancerRoute | undefined): Promise<void> {
    return this.#order(async () => {
      if (!route) await this.traffic.reserve(plan.name);
      if (this.#serving && this.#serving.rollId !== plan.rollId) {
        void this.#replaceServing(plan);
        return;
      }
      const replicaSet = this.#replicaSetOf(plan.rollId);
      replicaSet.fill(plan, sizeWithin(plan, replicaSet.size));
      replicaSet.establish();
      this.#serving = replicaSet;
      if (!route || route.closed || !sameBackends(route.backends, replicaSet.backends)) await this.#follow();
      await this.#retire(this.#othersThan(replicaSet));
      await this.#shrink(replicaSet, sizeWithin(plan, replicaSet.size));
    });
  }

  /** Gives the serving replica set its plan, so that it replaces failed instances while a roll resumes. Ignores another roll's plan. */
  recognise(plan: ServicePlan): void {
    if (this.busy || this.#serving?.rollId !== plan.rollId || this.#serving.plan) return;
    this.#serving.fill(plan, this.#serving.size);
    this.#serving.establish();
  }

  /** Changes the number of serving replicas. Does nothing while an order runs. */
  async resize(size: number): Promise<void> {
    if (this.busy) return;
    await this.#order(async () => {
      const replicaSet = this.#serving;
      if (!replicaSet?.plan) return;
      replicaSet.fill(replicaSet.plan, size);
      await this.#shrink(replicaSet, size);
    });
  }

  status(): RuntimeStatus | undefined {
    const replicaSet = this.#serving ?? [...this.#replicaSets.values()].at(-1);
    if (!replicaSet) return undefined;
    const { rollId, backends, instances, restarted } = replicaSet;
    const lastFailure = this.#lastFailure;
    return { rollId, healthy: backends.length, instances: instances.length, lastFailure, restarts: restarted };
  }

  /** Stops the supervision and leaves the instances running. */
  async detach(): Promise<void> {
    this.#closed.abort();
    this.#rolling?.abort(new Error('the platform is shutting down'));
    await Promise.all([...this.#replicaSets.values()].map(replicaSet => replicaSet.detach()));
    await this.#following;
    clearTimeout(this.#followLater);
  }

  onChange(): void {
    void this.#follow();
  }

  onFailure(words: string): void {
    this.#lastFailure = words;
    this.log.warn({ webServiceId: this.webServiceId, words }, 'An instance failed');
    // Its own last lines are in the log already.
    this.host.logLine(`An instance failed: ${words.split('\n')[0]}`);
  }

  async #roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const cut = new AbortController();
    this.#rolling = cut;
    const before = this.#serving;
    await this.#retire(this.#othersThan(before, this.#replicaSets.get(plan.rollId)));
    const replicaSet = this.#replicaSetOf(plan.rollId);
    try {
      replicaSet.fill(plan, sizeWithin(plan, Math.max(replicaSet.size, before?.size ?? 0)));
      if (replicaSet === before) replicaSet.establish();
      await this.traffic.reserve(plan.name);
      await replicaSet.untilHealthy(plan.deadlineMs, AbortSignal.any([signal, cut.signal, this.#closed.signal]));
      this.#serving = replicaSet;
      await this.traffic.follow(() => this.#serving?.backends ?? []);
    } catch (error) {
      if (this.#closed.signal.aborted || !(await this.host.isOurs())) throw error;
      this.#serving = before === replicaSet ? undefined : before;
      await this.#follow();
      await this.#retire([replicaSet]);
      throw error;
    } finally {
      this.#rolling = undefined;
    }
    replicaSet.establish();
    this.#lastFailure = undefined;
    await this.#retire(this.#othersThan(replicaSet));
  }

  /** Another release serves than expected: it keeps the traffic until the plan's replicas are healthy or fail. */
  async #replaceServing(plan: ServicePlan): Promise<void> {
    try {
      await this.#order(() => this.#roll(plan, this.#closed.signal));
    } catch (err) {
      if (this.#closed.signal.aborted) return;
      this.log.warn({ err, webServiceId: this.webServiceId }, 'The expected release is not healthy');
      // The next reconciliation then replaces it, whether the plan's replicas are healthy or not.
      this.#serving = undefined;
    }
  }

  #order<T>(work: () => Promise<T>): Promise<T> {
    this.#orders += 1;
    const turn = this.#queue.then(() => {
      this.#closed.signal.throwIfAborted();
      return work();
    });
    this.#queue = turn.then(
      () => {
        this.#orders -= 1;
      },
      () => {
        this.#orders -= 1;
      },
    );
    return turn;
  }

  #replicaSetOf(rollId: string): ReplicaSet {
    const replicaSet = this.#replicaSets.get(rollId) ?? new ReplicaSet(rollId, this.host, this);
    this.#replicaSets.set(rollId, replicaSet);
    return replicaSet;
  }

  #othersThan(...kept: readonly (ReplicaSet | undefined)[]): readonly ReplicaSet[] {
    return [...this.#replicaSets.values()].filter(replicaSet => !kept.includes(replicaSet));
  }

  async #shrink(replicaSet: ReplicaSet, size: number): Promise<void> {
    const leaving = replicaSet.shrinkTo(size);
    if (leaving.length === 0) return;
    await this.#follow();
    const ids = leaving.flatMap(({ instance }) => instance?.record.id ?? []);
    await this.traffic.drain(ids, this.host.times.drainMs);
    await Promise.all(leaving.map(replica => replica.retire()));
  }

  /** Drains and ends replica sets that no longer get traffic. */
  async #retire(replicaSets: readonly ReplicaSet[]): Promise<void> {
    const ids = replicaSets.flatMap(({ instances }) => instances.map(({ record }) => record.id));
    await this.traffic.drain(ids, this.host.times.drainMs);
    await Promise.all(replicaSets.map(replicaSet => replicaSet.retire()));
    for (const replicaSet of replicaSets) this.#replicaSets.delete(replicaSet.rollId);
  }

  /** Routes the traffic to the healthy replicas of the serving set; retries when the load balancer refuses. */
  #follow(): Promise<void> {
    this.#followAgain = true;
    this.#following ??= this.#followChanges().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #followChanges(): Promise<void> {
    clearTimeout(this.#followLater);
    while (this.#followAgain && this.#serving && !this.#closed.signal.aborted) {
      this.#followAgain = false;
      try {
        await this.traffic.follow(() => this.#serving?.backends ?? []);
      } catch (err) {
        this.log.warn(
          { err, webServiceId: this.webServiceId },
          'The load balancer did not accept an order; it will be retried',
        );
        this.#followLater = setTimeout(() => void this.#follow(), TRAFFIC_RETRY_MS);
      }
    }
  }
}

/** The current size, within the plan's bounds. */
const sizeWithin = ({ minInstances, maxInstances }: ServicePlan, size: number): number =>
  Math.min(Math.max(size, minInstances), maxInstances);

const sameBackends = (some: readonly Backend[], others: readonly Backend[]): boolean =>
  some.length === others.length && some.every(({ id }) => others.some(other => other.id === id));
