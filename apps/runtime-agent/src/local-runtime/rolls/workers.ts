import type { ProcessStatus, ServicePlan } from '@postern/runtime';
import type { Instance } from '../instances/instance.js';
import { ReplicaSet, type ReplicaSetHost } from './replica-set.js';

/** The processes of a web service without traffic, one replica set for each process type of a roll. */
export class Workers {
  readonly #sets = new Map<string, ReplicaSet>();
  readonly #lastFailures = new Map<string, string>();
  readonly #looping = new Set<string>();

  constructor(
    private readonly host: ReplicaSetHost,
    private readonly onFailure: (reason: string) => void,
  ) {}

  get instances(): readonly Instance[] {
    return [...this.#sets.values()].flatMap(({ instances }) => instances);
  }

  /** The status by process type; undefined if there is none. */
  get status(): Readonly<Record<string, ProcessStatus>> | undefined {
    if (this.#sets.size === 0) return undefined;
    const statuses = [...this.#sets.values()].map(({ processType = '', instances, crashLoop }) => {
      const failure = crashLoop && `${crashLoop}: ${this.#lastFailures.get(processType)?.split('\n')[0]}`;
      return [processType, { instances: instances.length, failure: failure ?? null }] as const;
    });
    return Object.fromEntries(statuses);
  }

  adopt(instances: readonly Instance[]): void {
    for (const [key, members] of Map.groupBy(instances, ({ record }) =>
      keyOf(record.rollId, record.processType ?? ''),
    )) {
      const { rollId, processType = '' } = members[0]!.record;
      const ids = new Set(members.map(({ record }) => record.id));
      this.#sets.set(key, this.#newSet(rollId, processType, members, ids));
    }
  }

  /** Runs exactly the processes of the plan. Processes of other rolls end before these start. */
  async follow(plan: ServicePlan): Promise<void> {
    const wanted = Object.entries(plan.processes ?? {}).filter(([, count]) => count > 0);
    const keys = new Set(wanted.map(([type]) => keyOf(plan.rollId, type)));
    await this.#retire([...this.#sets.keys()].filter(key => !keys.has(key)));
    for (const [type, count] of wanted) {
      const key = keyOf(plan.rollId, type);
      const set = this.#sets.get(key) ?? this.#newSet(plan.rollId, type);
      this.#sets.set(key, set);
      set.establish();
      set.fill(plan, count);
      await Promise.all(set.shrinkTo(count).map(replica => replica.retire()));
    }
  }

  /** Gives adopted processes their plan, so that failed ones are replaced. */
  recognise(plan: ServicePlan): void {
    for (const set of this.#sets.values()) {
      if (set.rollId !== plan.rollId || set.plan) continue;
      set.fill(plan, set.size);
      set.establish();
    }
  }

  async stop(): Promise<void> {
    await this.#retire([...this.#sets.keys()]);
  }

  /** Leaves the processes running. */
  async detach(): Promise<void> {
    await Promise.all([...this.#sets.values()].map(set => set.detach()));
  }

  async #retire(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map(key => this.#sets.get(key)?.retire()));
    for (const key of keys) this.#sets.delete(key);
  }

  #newSet(
    rollId: string,
    processType: string,
    members: readonly Instance[] = [],
    answered: ReadonlySet<string> = new Set(),
  ): ReplicaSet {
    const listener = {
      onChange: () => {},
      onFailure: (reason: string) => {
        this.#lastFailures.set(processType, reason);
        this.onFailure(reason);
        this.#logCrashLoop(processType, set.crashLoop);
      },
    };
    const set: ReplicaSet = new ReplicaSet(rollId, this.host, listener, members, answered, processType);
    return set;
  }

  /** Logs each crash loop once. */
  #logCrashLoop(processType: string, crashLoop: string | undefined): void {
    if (crashLoop === undefined) {
      this.#looping.delete(processType);
    } else if (!this.#looping.has(processType)) {
      this.#looping.add(processType);
      this.host.logLine(
        `The process ${processType} crashes repeatedly: ${crashLoop}. The delay before each restart increases.`,
      );
    }
  }
}

const keyOf = (rollId: string, processType: string): string => `${rollId} ${processType}`;
