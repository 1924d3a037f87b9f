import type { CreationLimit } from '@postern/event-sourcing';
import type { RequestContext } from '@postern/messaging';
import type { RuntimeStatus, ServicePlan } from '@postern/runtime';
import type { Reach } from '../projects/reached-projects.js';
import type { ChangeCommand, DriverCommand, WebServiceCommand } from './aggregate/commands.js';
import type { CreatedData, ReleaseSettings, WebServiceEvent } from './aggregate/events.js';
import { webServiceNotFound } from './aggregate/refusals.js';
import type { WebService } from './aggregate/state.js';

/** The event streams of web services, and the rows that must agree with them. */
export abstract class WebServiceRepository {
  abstract stateOf(webServiceId: string): Promise<WebService>;

  /** All events of a web service up to a time. */
  abstract historyOf(webServiceId: string, until: Date): Promise<readonly WebServiceEvent[]>;

  /** Refuses past the limit. Resolves once the read models show the web service. */
  abstract create(limit: CreationLimit, created: CreatedData): Promise<void>;

  /** Changes settings; refuses past the limit. Resolves once the read models show the change. */
  abstract change(limit: CreationLimit | undefined, webServiceId: string, command: ChangeCommand): Promise<void>;

  /**
   * Runs one command at a time per web service, over all replicas; concurrent callers wait instead of failing.
   * Resolves once the read models show the result. Refusals of the decider append nothing.
   */
  abstract execute(webServiceId: string, commandAt: (at: string) => WebServiceCommand): Promise<WebService>;

  /** Like `execute`, without waiting for the read models. */
  abstract record(webServiceId: string, commandAt: (at: string) => DriverCommand): Promise<WebService>;

  /** The context of the request for this deployment, rollback, start or restart. */
  abstract originOf(webServiceId: string, id: string): Promise<RequestContext | undefined>;

  /** Calls back after this process has changed how many instances a web service has. */
  abstract onScaled(listener: () => void): () => void;

  /** Calls back after this process has appended; events of other replicas are found by polling. */
  abstract onChange(listener: () => void): () => void;
}

/** A release that serves traffic, with everything that a plan needs except its configuration. */
export interface ServingRelease extends Omit<ServicePlan, 'environment' | 'secrets' | 'deadlineMs'> {
  readonly configurationId: string;
  /** False while the status of the web service says that no instance answers. */
  readonly answering: boolean;
}

type PlanSettings = Pick<
  ServicePlan,
  'name' | 'startCommand' | 'port' | 'healthCheckPath' | 'instance' | 'drainSeconds' | 'processes' | 'disk'
>;

/**
 * The settings of a release as the runtime takes them, whatever starts it; what is not set is the default of the runtime.
 */
export const planSettings = (settings: ReleaseSettings): PlanSettings => ({
  name: settings.name,
  startCommand: settings.start_command ?? undefined,
  port: settings.port,
  healthCheckPath: settings.health_check_path ?? undefined,
  instance: settings.instance
    ? { memoryMib: settings.instance.memory_mib, cpuMillicores: settings.instance.cpu_millicores }
    : undefined,
  drainSeconds: settings.drain_seconds ?? undefined,
  processes: Object.keys(settings.processes ?? {}).length > 0 ? settings.processes : undefined,
  disk: settings.disk ? { sizeMib: settings.disk.size_mib } : undefined,
});

/** How many instances of a release run now: the current numbers, and one with a disk. */
export const currentInstances = (
  release: Pick<ServicePlan, 'disk'>,
  { min_instances, max_instances }: { readonly min_instances: number; readonly max_instances: number },
): Pick<ServicePlan, 'minInstances' | 'maxInstances'> =>
  release.disk ? { minInstances: 1, maxInstances: 1 } : { minInstances: min_instances, maxInstances: max_instances };

/**
 * How many processes of a release run now: the current numbers of the process types that it began with. Other process
 * types may not be in its Procfile.
 */
export const currentProcesses = (
  release: ServicePlan['processes'],
  current: ReleaseSettings['processes'] = {},
): ServicePlan['processes'] =>
  release && Object.fromEntries(Object.keys(release).map(type => [type, current[type] ?? 0]));

/** The current state of all web services, written in the transactions of their events. */
export abstract class WebServiceSummaries {
  /** Web services in a state that is not final. */
  abstract withWork(): Promise<readonly string[]>;
  /** @throws while the read model lacks a web service that serves, because callers must not act on a partial list. */
  abstract serving(): Promise<readonly ServingRelease[]>;
  /** Every web service that was ever created. */
  abstract all(): Promise<readonly string[]>;
  /** The number of events of each web service. */
  abstract historyLengths(): Promise<ReadonlyMap<string, number>>;
}

export interface OwnedWebService {
  readonly status: string;
  /** Who created it. */
  readonly userId: string;
}

/** Tells which web services a caller reaches, and their status. */
export abstract class WebServiceOwners {
  /** Undefined also for web services of other workspaces. */
  abstract find(caller: Reach, webServiceId: string): Promise<OwnedWebService | undefined>;

  /** Refuses with `web_service_not_found` unless the caller reaches the web service. */
  async requireOwner(caller: Reach, webServiceId: string): Promise<OwnedWebService> {
    const found = await this.find(caller, webServiceId);
    if (!found) throw webServiceNotFound();
    return found;
  }
}

/** What the operator configures about creating and rolling back web services. */
export abstract class WebServiceSettings {
  abstract readonly allowFileRepositories: boolean;
  /** Deployments of each web service that were live and can be rolled back to. */
  abstract readonly retainedReleases: number;
}

/** The runtime status of a web service that serves; undefined when none of its instances run. */
export interface InstanceReading {
  readonly webServiceId: string;
  readonly status: RuntimeStatus | undefined;
}

/** Observes web services, for metrics. Callers do not wait for it, and it cannot fail them. */
export abstract class WebServiceObserver {
  /** Called once for committed events, in the process that appended them. */
  abstract eventsCommitted(before: WebService, events: readonly WebServiceEvent[]): void;

  /** Called by the leader with all web services that serve, and with none when it stops leading. */
  abstract instancesRead(readings: readonly InstanceReading[]): void;
}
