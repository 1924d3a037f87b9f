import type {
  BuildOrder,
  BuiltArtefact,
  CommitDescription,
  LogLine,
  LogStream,
  RoutedDomain,
  RuntimeFeature,
  ServicePlan,
  Source,
} from '@postern/runtime';

/** Scripted behaviour of the machine; each step may wait or throw. */
export interface Script {
  /** Runs before a branch is resolved. */
  resolve: (repositoryUrl: string, branch: string | undefined) => Promise<void> | void;
  build: (order: BuildOrder) => Promise<void> | void;
  roll: (plan: ServicePlan) => Promise<void> | void;
  stop: (webServiceId: string) => Promise<void> | void;
  remove: (webServiceId: string) => Promise<void> | void;
  reconcile: () => Promise<void> | void;
  /** Ends the remaining processes of an aborted build or roll. */
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

/** The machine under the fake runtimes of several processes: its state survives all of them. */
export class FakeMachine {
  readonly script: Script = { ...WITHOUT_INCIDENT };
  readonly features = new Set<RuntimeFeature>();
  /** The last routed custom domains. */
  domains: readonly RoutedDomain[] = [];
  /** Parent domain of the host names of web services; without it, they have ports only. */
  domain: string | undefined;
  /** Whether the runtime responds. */
  reachable = true;
  /** Requests for the commit of a branch, and the host keys that a server presents to a client without known hosts. */
  readonly sources: Source[] = [];
  hostKeys: string | undefined;
  /** Commits by branch; all other branches are missing. */
  readonly branches = new Map([['main', 'a'.repeat(40)]]);
  readonly artefacts = new Map<string, BuiltArtefact>();
  /** What the builds know about their commit. */
  description: CommitDescription | undefined = { subject: 'Fix the cart', author: 'Ada' };
  /** Running builds by deployment; the value is the process. */
  readonly builds = new Map<string, object>();
  /** Plans with instances, by service and roll. */
  readonly instances = new Map<string, Map<string, ServicePlan>>();
  /** The roll that receives traffic, by service. */
  readonly traffic = new Map<string, string>();
  /** Web services that the runtime was ordered to remove. */
  readonly removed = new Set<string>();
  readonly unhealthy = new Map<string, string>();
  /** Restarts of instances of the roll that receives traffic, by service. */
  readonly restarts = new Map<string, number>();
  readonly lines: (LogLine & { readonly webServiceId: string })[] = [];
  /** How many of the first lines were deleted. */
  deletedLines = 0;
  readonly orders: BuildOrder[] = [];
  readonly rolls: ServicePlan[] = [];
  readonly kept: ReadonlySet<string>[] = [];
  readonly #changing = new Map<string, number>();
  /** Number of overlapping rolls and stops of one service; must stay 0. */
  overlaps = 0;

  /** Clears the script and the orders; running instances stay. */
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

  /** Ends the changes of a killed process; the state of the machine stays. */
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

  /** Returns the plan of the roll that receives traffic. */
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
