import type { Instance } from '../instances/instance.js';
import type { Replica } from './replica.js';
import { ReplicaSet, type ReplicaSetHost, type ReplicaSetListener } from './replica-set.js';
import type { Traffic } from './traffic.js';
import type { TrafficFollower } from './traffic-follower.js';

/** The replica sets of one web service, by roll. */
export class ReplicaSets {
  readonly #byRoll = new Map<string, ReplicaSet>();

  constructor(
    private readonly host: ReplicaSetHost,
    private readonly listener: ReplicaSetListener,
    private readonly traffic: Traffic,
  ) {}

  /** Oldest first. */
  get all(): readonly ReplicaSet[] {
    return [...this.#byRoll.values()];
  }

  find(rollId: string): ReplicaSet | undefined {
    return this.#byRoll.get(rollId);
  }

  of(rollId: string): ReplicaSet {
    return this.find(rollId) ?? this.adopt(rollId, [], new Set());
  }

  /** Adds the replica set of these instances; `routed` names those with traffic. */
  adopt(rollId: string, instances: readonly Instance[], routed: ReadonlySet<string>): ReplicaSet {
    const replicaSet = new ReplicaSet(rollId, this.host, this.listener, instances, routed);
    this.#byRoll.set(rollId, replicaSet);
    return replicaSet;
  }

  othersThan(...kept: readonly (ReplicaSet | undefined)[]): readonly ReplicaSet[] {
    return this.all.filter(replicaSet => !kept.includes(replicaSet));
  }

  /** Drains and ends replica sets that no longer get traffic. */
  async retire(replicaSets: readonly ReplicaSet[]): Promise<void> {
    await Promise.all(
      replicaSets.map(async replicaSet => {
        try {
          await this.#drain(await replicaSet.release(), replicaSet.drainMs);
        } catch (error) {
          // The route may still lead to it.
          replicaSet.resume();
          throw error;
        }
        await replicaSet.retire();
      }),
    );
    for (const { rollId } of replicaSets) this.#byRoll.delete(rollId);
  }

  /** Ends the newest replicas above `size`. */
  async shrink(replicaSet: ReplicaSet, size: number, follower: TrafficFollower): Promise<void> {
    const leaving = replicaSet.shrinkTo(size);
    if (leaving.length === 0) return;
    await follower.follow();
    await this.#retireReplicas(leaving, replicaSet.drainMs);
  }

  /** Drains and ends replicas that no longer belong to their replica set. */
  async #retireReplicas(replicas: readonly Replica[], drainMs: number): Promise<void> {
    await Promise.all(replicas.map(replica => replica.release()));
    await this.#drain(
      replicas.flatMap(({ instance }) => instance ?? []),
      drainMs,
    );
    await Promise.all(replicas.map(replica => replica.retire()));
  }

  /** Waits for the requests in progress; those left at the end are aborted. The instances must no longer receive new ones. */
  async #drain(instances: readonly Instance[], drainMs: number): Promise<void> {
    await this.traffic.drain(
      instances.map(({ record }) => record.id),
      drainMs,
    );
  }
}
