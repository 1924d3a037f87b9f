import type { Backend, BalancerRoute } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import { RollFailed, type RuntimeStatus, type ServicePlan } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import { OrderQueue } from './order-queue.js';
import { ProvenPlans } from './proven-plans.js';
import { asleepStatus, type ReplicaSet, type ReplicaSetHost, type ReplicaSetListener } from './replica-set.js';
import { ReplicaSets } from './replica-sets.js';
import { sizeWithin } from './scaling.js';
import { hostOf, sameBackends, type Traffic } from './traffic.js';
import { TrafficFollower } from './traffic-follower.js';
import { Workers } from './workers.js';

/**
 * One web service on this machine: the replica set that serves, at most one that starts, and older ones that end.
 * Orders run one after another.
 */
export class RunningService implements ReplicaSetListener {
  readonly #replicaSets: ReplicaSets;
  #serving: ReplicaSet | undefined;
  #rolling: AbortController | undefined;
  #lastFailure: string | undefined;
  #publicHost: string | undefined;
  /** The plan that the next request starts. The requests wait until an instance of it is healthy. */
  #asleep: ServicePlan | undefined;
  readonly #closed = new AbortController();
  readonly #orders = new OrderQueue(this.#closed.signal);
  readonly #workers: Workers;
  readonly #follower: TrafficFollower;
  readonly #proven = new ProvenPlans();

  constructor(
    readonly webServiceId: string,
    private readonly host: ReplicaSetHost,
    private readonly traffic: Traffic,
    private readonly log: Log,
  ) {
    this.#replicaSets = new ReplicaSets(host, this, traffic);
    this.#workers = new Workers(host, reason => this.#logFailure(reason));
    const backends = () => this.#backends;
    this.#follower = new TrafficFollower({ webServiceId, traffic, backends, log, closed: this.#closed.signal });
  }

  get publicHost(): string | undefined {
    return this.#publicHost;
  }

  get busy(): boolean {
    return this.#orders.busy;
  }

  get serving(): ReplicaSet | undefined {
    return this.#serving;
  }

  /** Whether no instance runs until the next request. */
  get asleep(): boolean {
    return this.#asleep !== undefined && this.#serving === undefined;
  }

  get instances(): readonly Instance[] {
    return [...this.#replicaSets.all.flatMap(({ instances }) => instances), ...this.#workers.instances];
  }

  /** Whether a replica set belongs to one of these rolls. */
  belongsTo(rollIds: ReadonlySet<string>): boolean {
    return this.#replicaSets.all.some(({ rollId }) => rollIds.has(rollId));
  }

  /** Adopts instances of an earlier process; `routed` names those with traffic. */
  adopt(instances: readonly Instance[], routed: ReadonlySet<string>): void {
    this.#workers.adopt(instances.filter(({ record }) => record.processType !== undefined));
    const serving = instances.filter(({ record }) => record.processType === undefined);
    for (const [rollId, members] of Map.groupBy(serving, ({ record }) => record.rollId)) {
      const replicaSet = this.#replicaSets.adopt(rollId, members, routed);
      if (members.some(({ record }) => routed.has(record.id))) this.#serving = replicaSet;
    }
  }

  roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    return this.#orders.run(() => this.#roll(plan, signal));
  }

  /** Ends all instances. A roll in progress fails. */
  stop(): Promise<void> {
    this.#rolling?.abort(new RollFailed('the service was stopped'));
    return this.#orders.run(async () => {
      // Set first, because an instance that becomes healthy meanwhile would open the route again.
      this.#serving = undefined;
      this.#asleep = undefined;
      await this.traffic.close();
      await Promise.all([this.#replicaSets.retire(this.#replicaSets.all), this.#workers.stop()]);
      this.#lastFailure = undefined;
    });
  }

  /** Ends the instances with the disk, calls `work`, and starts the release that served again, also if the work fails. */
  withoutDiskUser(work: () => Promise<void>): Promise<void> {
    return this.#orders.run(async () => {
      const before = this.#serving;
      if (before) await this.#end(before, 'The disk is restored from a backup: its instance ends and starts again');
      await this.#replicaSets.retire(this.#replicaSets.all);
      await work().finally(() => before?.plan && this.#startAgain(before.plan, before.size));
    });
  }

  /** Makes exactly this plan run, without waiting until it is healthy. `route` is the load balancer's current route. */
  maintain(plan: ServicePlan, route: BalancerRoute | undefined): Promise<void> {
    return this.#orders.run(async () => {
      this.#publicHost = route ? hostOf(route.url) : await this.traffic.reserve(plan.name);
      if (this.#serving && this.#serving.rollId !== plan.rollId) {
        void this.#replaceServing(plan);
        return;
      }
      if (route?.closed === 'asleep' && !this.#serving) {
        this.#asleep = plan;
        if (plan.autoscaling?.idleMinutes) {
          await Promise.all([this.#replicaSets.retire(this.#replicaSets.all), this.#workers.follow(plan)]);
          return;
        }
      }
      const replicaSet = this.#replicaSets.of(plan.rollId);
      this.#serving = replicaSet;
      // The route may lead to unexpected replica sets, because an order of a killed process can arrive late.
      const others = this.#replicaSets.othersThan(replicaSet);
      if (others.length > 0) await this.#follower.follow();
      if (plan.disk) await this.#replicaSets.retire(others);
      replicaSet.fill(plan, sizeWithin(plan, replicaSet.size));
      replicaSet.establish();
      this.#proven.add(plan);
      if (!route || route.closed || !sameBackends(route.backends, replicaSet.backends)) await this.#follower.follow();
      await this.#replicaSets.retire(this.#replicaSets.othersThan(replicaSet));
      await this.#replicaSets.shrink(replicaSet, sizeWithin(plan, replicaSet.size), this.#follower);
      await this.#workers.follow(plan);
    });
  }

  /**
   * Gives the serving replica set its plan, so that it replaces failed instances while a roll resumes. Ignores the plan
   * of another roll.
   */
  recognise(plan: ServicePlan): void {
    if (this.busy || this.#serving?.rollId !== plan.rollId) return;
    this.#workers.recognise(plan);
    if (this.#serving.plan) return;
    this.#serving.fill(plan, this.#serving.size);
    this.#serving.establish();
  }

  /** Ends the serving replicas; new requests wait. Does nothing while an order runs. */
  async sleep(): Promise<void> {
    if (this.busy) return;
    await this.#orders.run(async () => {
      const replicaSet = this.#serving;
      if (!replicaSet?.plan) return;
      // Set first, because an instance that becomes healthy meanwhile would open the route again.
      this.#serving = undefined;
      this.#asleep = replicaSet.plan;
      try {
        await this.traffic.sleep();
      } catch (error) {
        this.#serving = replicaSet;
        this.#asleep = undefined;
        throw error;
      }
      this.host.logLine(`No requests for ${replicaSet.plan.autoscaling?.idleMinutes} min: the instances end`);
      await this.#replicaSets.retire(this.#replicaSets.all);
    });
  }

  /** Starts the replicas for the requests that wait. Does nothing while an order runs. */
  async wake(): Promise<void> {
    if (this.busy) return;
    await this.#orders.run(async () => {
      if (!this.#asleep || this.#serving) return;
      this.host.logLine('A request starts the instances');
      this.#startAgain(this.#asleep, 0);
    });
  }

  /** Changes the number of serving replicas. Does nothing while an order runs. */
  async resize(size: number): Promise<void> {
    if (this.busy) return;
    await this.#orders.run(async () => {
      const replicaSet = this.#serving;
      if (!replicaSet?.plan) return;
      replicaSet.fill(replicaSet.plan, size);
      await this.#replicaSets.shrink(replicaSet, size, this.#follower);
    });
  }

  status(): RuntimeStatus | undefined {
    const asleep = this.#serving ? undefined : this.#asleep;
    const replicaSet = this.#serving ?? this.#replicaSets.all.at(-1);
    const status = asleep ? asleepStatus(asleep) : replicaSet?.status(this.#lastFailure);
    return status && { ...status, processes: this.#workers.status };
  }

  /** Stops the supervision and leaves the instances running. */
  async detach(): Promise<void> {
    this.#closed.abort();
    this.#rolling?.abort(new Error('the platform is shutting down'));
    await Promise.all([this.#workers.detach(), ...this.#replicaSets.all.map(each => each.detach())]);
    await this.#follower.detach();
  }

  onChange(): void {
    if (this.#serving && this.#serving.backends.length > 0) this.#asleep = undefined;
    void this.#follower.follow();
  }

  onFailure(reason: string): void {
    this.#lastFailure = reason;
    // Requests that wait for the first instance fail, like all others while the instances crash.
    if (this.#asleep && this.#serving) {
      this.#asleep = undefined;
      void this.#follower.follow();
    }
    this.#logFailure(reason);
  }

  #logFailure(reason: string): void {
    this.log.warn({ webServiceId: this.webServiceId, reason }, 'An instance failed');
    // The log already contains the last lines of the instance.
    this.host.logLine(`An instance failed: ${reason.split('\n')[0]}`);
  }

  async #roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const cut = new AbortController();
    this.#rolling = cut;
    const before = this.#serving;
    const deadline = performance.now() + plan.deadlineMs;
    const end = AbortSignal.any([signal, cut.signal, this.#closed.signal]);
    if (!before) await this.traffic.clear();
    await this.#replicaSets.retire(this.#replicaSets.othersThan(before, this.#replicaSets.find(plan.rollId)));
    const replicaSet = this.#replicaSets.of(plan.rollId);
    try {
      await this.host.release(plan, end);
      if (plan.disk && before && before !== replicaSet)
        await this.#end(before, 'The web service has a disk: its instance ends before the next one starts');
      this.#publicHost = await this.traffic.reserve(plan.name);
      replicaSet.fill(plan, sizeWithin(plan, Math.max(replicaSet.size, before?.size ?? 0)));
      if (replicaSet === before) replicaSet.establish();
      const observationMs = this.#proven.has(plan) ? 0 : this.host.times.observationMs;
      await replicaSet.untilHealthy(Math.max(1, Math.ceil(deadline - performance.now())), observationMs, end);
      this.#proven.add(plan);
      this.#serving = replicaSet;
      this.#asleep = undefined;
      await this.traffic.follow(() => this.#serving?.backends ?? []);
    } catch (error) {
      if (this.#closed.signal.aborted || !(await this.host.isOurs())) throw error;
      const hasEnded = before !== undefined && !this.#replicaSets.find(before.rollId);
      this.#serving = before === replicaSet || hasEnded ? undefined : before;
      await (this.#serving ? this.#follower.follow() : this.traffic.clear());
      await this.#replicaSets.retire([replicaSet]);
      if (hasEnded && before.plan) this.#startAgain(before.plan, before.size);
      throw error;
    } finally {
      this.#rolling = undefined;
    }
    replicaSet.establish();
    this.#lastFailure = undefined;
    await Promise.all([this.#replicaSets.retire(this.#replicaSets.othersThan(replicaSet)), this.#workers.follow(plan)]);
  }

  /** Two instances must not write to a disk at the same time, so one ends before the next one starts. */
  async #end(replicaSet: ReplicaSet, message: string): Promise<void> {
    this.host.logLine(message);
    this.#serving = undefined;
    await this.traffic.clear();
    await this.#replicaSets.retire([replicaSet]);
  }

  /** The healthy replicas; undefined while none serves, or while requests wait for the first one. */
  get #backends(): readonly Backend[] | undefined {
    const found = this.#serving?.backends;
    return this.#asleep && found?.length === 0 ? undefined : found;
  }

  /** Starts a release again. */
  #startAgain(plan: ServicePlan, size: number): void {
    const replicaSet = this.#replicaSets.of(plan.rollId);
    replicaSet.fill(plan, sizeWithin(plan, size));
    replicaSet.establish();
    this.#serving = replicaSet;
  }

  /** Replaces another release that serves. It keeps the traffic until the plan's replicas are healthy or fail. */
  async #replaceServing(plan: ServicePlan): Promise<void> {
    try {
      await this.#orders.run(() => this.#roll(plan, this.#closed.signal));
    } catch (err) {
      if (this.#closed.signal.aborted) return;
      this.log.warn({ err, webServiceId: this.webServiceId }, 'The expected release is not healthy');
      // The next reconciliation then replaces it, whether the plan's replicas are healthy or not.
      this.#serving = undefined;
    }
  }
}
