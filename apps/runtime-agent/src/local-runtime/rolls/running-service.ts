import type { Backend, BalancerRoute } from '@postern/load-balancer-client';
import type { Log } from '@postern/messaging';
import { RollFailed, type RuntimeStatus, type ServicePlan } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import { Fleet, type FleetHost, type FleetListener } from './fleet.js';
import type { Traffic } from './traffic.js';

const TRAFFIC_RETRY_MS = 1_000;

/**
 * One web service as this machine runs it: the fleet that has the traffic, perhaps one that is on its way up, and older
 * ones on their way out. Orders are carried out one after another.
 */
export class RunningService implements FleetListener {
  readonly #fleets = new Map<string, Fleet>();
  #serving: Fleet | undefined;
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
    private readonly host: FleetHost,
    private readonly traffic: Traffic,
    private readonly log: Log,
  ) {}

  get busy(): boolean {
    return this.#orders > 0;
  }

  get serving(): Fleet | undefined {
    return this.#serving;
  }

  get instances(): readonly Instance[] {
    return [...this.#fleets.values()].flatMap(({ instances }) => instances);
  }

  /** Whether anything is here that belongs to one of these rolls. */
  belongsTo(rollIds: ReadonlySet<string>): boolean {
    return [...this.#fleets.keys()].some(rollId => rollIds.has(rollId));
  }

  /** Takes over what an earlier run has started; `routed` are the instances that had the traffic. */
  adopt(instances: readonly Instance[], routed: ReadonlySet<string>): void {
    for (const [rollId, members] of Map.groupBy(instances, ({ record }) => record.rollId)) {
      const fleet = new Fleet(rollId, this.host, this, members, routed);
      this.#fleets.set(rollId, fleet);
      if (members.some(({ record }) => routed.has(record.id))) this.#serving = fleet;
    }
  }

  roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    return this.#order(() => this.#roll(plan, signal));
  }

  /** Cuts a roll under way. */
  stop(): Promise<void> {
    this.#rolling?.abort(new RollFailed('the service was stopped'));
    return this.#order(async () => {
      await this.traffic.close();
      this.#serving = undefined;
      await this.#retire([...this.#fleets.values()]);
      this.#lastFailure = undefined;
    });
  }

  /** Makes exactly this plan run, without waiting until it answers. `route` is what the load balancer knows of it. */
  maintain(plan: ServicePlan, route: BalancerRoute | undefined): Promise<void> {
    return this.#order(async () => {
      if (!route) await this.traffic.reserve(plan.name);
      if (this.#serving && this.#serving.rollId !== plan.rollId) {
        void this.#replaceServing(plan);
        return;
      }
      const fleet = this.#fleetOf(plan.rollId);
      fleet.fill(plan, sizeWithin(plan, fleet.size));
      fleet.establish();
      this.#serving = fleet;
      if (!route || route.closed || !sameBackends(route.backends, fleet.backends)) await this.#follow();
      await this.#retire(this.#othersThan(fleet));
      await this.#shrink(fleet, sizeWithin(plan, fleet.size));
    });
  }

  /** Keeps what has the traffic running while a roll is about to go on; a plan of another roll changes nothing. */
  recognise(plan: ServicePlan): void {
    if (this.busy || this.#serving?.rollId !== plan.rollId || this.#serving.plan) return;
    this.#serving.fill(plan, this.#serving.size);
    this.#serving.establish();
  }

  /** One instance more or less; nothing while an order is carried out. */
  async resize(size: number): Promise<void> {
    if (this.busy) return;
    await this.#order(async () => {
      const fleet = this.#serving;
      if (!fleet?.plan) return;
      fleet.fill(fleet.plan, size);
      await this.#shrink(fleet, size);
    });
  }

  status(): RuntimeStatus | undefined {
    const fleet = this.#serving ?? [...this.#fleets.values()].at(-1);
    if (!fleet) return undefined;
    const { rollId, backends, instances, restarted } = fleet;
    const lastFailure = this.#lastFailure;
    return { rollId, healthy: backends.length, instances: instances.length, lastFailure, restarts: restarted };
  }

  /** Leaves everything running, for the next process. */
  async detach(): Promise<void> {
    this.#closed.abort();
    this.#rolling?.abort(new Error('the platform is shutting down'));
    await Promise.all([...this.#fleets.values()].map(fleet => fleet.detach()));
    await this.#following;
    clearTimeout(this.#followLater);
  }

  onChange(): void {
    void this.#follow();
  }

  onFailure(words: string): void {
    this.#lastFailure = words;
    this.log.warn({ webServiceId: this.webServiceId, words }, 'An instance failed');
    // What it said last itself is in the log already.
    this.host.logLine(`An instance failed: ${words.split('\n')[0]}`);
  }

  async #roll(plan: ServicePlan, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const cut = new AbortController();
    this.#rolling = cut;
    const before = this.#serving;
    await this.#retire(this.#othersThan(before, this.#fleets.get(plan.rollId)));
    const fleet = this.#fleetOf(plan.rollId);
    try {
      fleet.fill(plan, sizeWithin(plan, Math.max(fleet.size, before?.size ?? 0)));
      if (fleet === before) fleet.establish();
      await this.traffic.reserve(plan.name);
      await fleet.untilHealthy(plan.deadlineMs, AbortSignal.any([signal, cut.signal, this.#closed.signal]));
      this.#serving = fleet;
      await this.traffic.follow(() => this.#serving?.backends ?? []);
    } catch (error) {
      if (this.#closed.signal.aborted || !(await this.host.isOurs())) throw error;
      this.#serving = before === fleet ? undefined : before;
      await this.#follow();
      await this.#retire([fleet]);
      throw error;
    } finally {
      this.#rolling = undefined;
    }
    fleet.establish();
    this.#lastFailure = undefined;
    await this.#retire(this.#othersThan(fleet));
  }

  /** Something else has the traffic than is expected to: it keeps it until the plan's instances answer or fail. */
  async #replaceServing(plan: ServicePlan): Promise<void> {
    try {
      await this.#order(() => this.#roll(plan, this.#closed.signal));
    } catch (err) {
      if (this.#closed.signal.aborted) return;
      this.log.warn({ err, webServiceId: this.webServiceId }, 'The expected release does not answer');
      // The next reconciliation then puts the plan in its place, answering or not.
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

  #fleetOf(rollId: string): Fleet {
    const fleet = this.#fleets.get(rollId) ?? new Fleet(rollId, this.host, this);
    this.#fleets.set(rollId, fleet);
    return fleet;
  }

  #othersThan(...kept: readonly (Fleet | undefined)[]): readonly Fleet[] {
    return [...this.#fleets.values()].filter(fleet => !kept.includes(fleet));
  }

  async #shrink(fleet: Fleet, size: number): Promise<void> {
    const leaving = fleet.shrinkTo(size);
    if (leaving.length === 0) return;
    await this.#follow();
    const ids = leaving.flatMap(({ instance }) => instance?.record.id ?? []);
    await this.traffic.drain(ids, this.host.times.drainMs);
    await Promise.all(leaving.map(slot => slot.retire()));
  }

  /** Lets them finish what they have, and ends them. None of them may have the traffic any more. */
  async #retire(fleets: readonly Fleet[]): Promise<void> {
    const ids = fleets.flatMap(({ instances }) => instances.map(({ record }) => record.id));
    await this.traffic.drain(ids, this.host.times.drainMs);
    await Promise.all(fleets.map(fleet => fleet.retire()));
    for (const fleet of fleets) this.#fleets.delete(fleet.rollId);
  }

  /** Sends the traffic to those instances of the serving fleet that answer; again later where that did not work. */
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
        this.log.warn({ err, webServiceId: this.webServiceId }, 'The load balancer did not take an order');
        this.#followLater = setTimeout(() => void this.#follow(), TRAFFIC_RETRY_MS);
      }
    }
  }
}

/** Not fewer than are wanted, nor more than are allowed; in between what there was. */
const sizeWithin = ({ minInstances, maxInstances }: ServicePlan, size: number): number =>
  Math.min(Math.max(size, minInstances), maxInstances);

const sameBackends = (some: readonly Backend[], others: readonly Backend[]): boolean =>
  some.length === others.length && some.every(({ id }) => others.some(other => other.id === id));
