import type {
  Artefact,
  BuildOrder,
  LogLine,
  LogStream,
  RoutedDomain,
  RuntimeFeature,
  ServicePlan,
  Source,
} from '@postern/runtime';

/** What a scripted part of the machine does; it may wait, and it may throw. */
export interface Script {
  /** Before a branch is resolved. */
  resolve: (repositoryUrl: string, branch: string | undefined) => Promise<void> | void;
  build: (order: BuildOrder) => Promise<void> | void;
  roll: (plan: ServicePlan) => Promise<void> | void;
  stop: (webServiceId: string) => Promise<void> | void;
  remove: (webServiceId: string) => Promise<void> | void;
  reconcile: () => Promise<void> | void;
  /** What still has to be ended after a build or a roll was aborted. */
  cleanUp: () => Promise<void> | void;
}

const WITHOUT_INCIDENT: Script = {
  resolve: () => {},
  build: () => {},
  roll: () => {},
  stop: () => {},
  remove: () => {},
  reconcile: () => {},
  cleanUp: () => {},
};

/** The machine under the fake runtimes of several processes: its contents survive any of them. */
export class FakeMachine {
  readonly script: Script = { ...WITHOUT_INCIDENT };
  readonly features = new Set<RuntimeFeature>();
  /** Custom domains as they were routed last. */
  domains: readonly RoutedDomain[] = [];
  /** Whether the runtime responds. */
  reachable = true;
  /** What was asked for the commit of a branch, and the host keys that a server shows to whom it meets first. */
  readonly sources: Source[] = [];
  hostKeys: string | undefined;
  /** Commits by branch; every other branch is missing. */
  readonly branches = new Map([['main', 'a'.repeat(40)]]);
  readonly artefacts = new Map<string, Artefact>();
  /** Builds that run, by deployment; the value is the process. */
  readonly builds = new Map<string, object>();
  /** Plans with instances, by service and roll. */
  readonly instances = new Map<string, Map<string, ServicePlan>>();
  /** The roll that has the traffic, by service. */
  readonly traffic = new Map<string, string>();
  /** Web services that the runtime was told to remove. */
  readonly removed = new Set<string>();
  readonly unhealthy = new Map<string, string>();
  /** How often instances of the roll that has the traffic were started anew, by service. */
  readonly restarts = new Map<string, number>();
  readonly lines: (LogLine & { readonly webServiceId: string })[] = [];
  readonly orders: BuildOrder[] = [];
  readonly rolls: ServicePlan[] = [];
  readonly kept: ReadonlySet<string>[] = [];
  readonly #changing = new Map<string, number>();
  /** Rolls and stops of one service that overlapped: there must be none. */
  overlaps = 0;

  /** Forgets the script and the orders so far; what runs stays. */
  reset(): void {
    Object.assign(this.script, WITHOUT_INCIDENT);
    this.sources.length = 0;
    this.orders.length = 0;
  }

  begin(webServiceId: string): void {
    const count = (this.#changing.get(webServiceId) ?? 0) + 1;
    if (count > 1) this.overlaps += 1;
    this.#changing.set(webServiceId, count);
  }

  end(webServiceId: string): void {
    this.#changing.set(webServiceId, (this.#changing.get(webServiceId) ?? 1) - 1);
  }

  /** Ends the changes of a killed process; what it left on the machine stays. */
  forgetChanges(): void {
    this.#changing.clear();
  }

  run(plan: ServicePlan): void {
    const plans = this.instances.get(plan.webServiceId) ?? new Map<string, ServicePlan>();
    this.instances.set(plan.webServiceId, plans.set(plan.rollId, plan));
  }

  remove(webServiceId: string, keep?: string): void {
    for (const rollId of this.rollsOf(webServiceId)) {
      if (rollId !== keep) this.instances.get(webServiceId)?.delete(rollId);
    }
  }

  rollsOf(webServiceId: string): string[] {
    return [...(this.instances.get(webServiceId)?.keys() ?? [])];
  }

  /** The environment of what has the traffic. */
  serving(webServiceId: string): ServicePlan | undefined {
    const rollId = this.traffic.get(webServiceId);
    return rollId === undefined ? undefined : this.instances.get(webServiceId)?.get(rollId);
  }

  messages(webServiceId: string, stream: LogStream): string[] {
    return this.lines
      .filter(line => line.webServiceId === webServiceId && line.stream === stream)
      .map(({ message }) => message);
  }
}
