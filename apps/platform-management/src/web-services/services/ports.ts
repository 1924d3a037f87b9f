import type { CreationLimit } from '@postern/event-sourcing';
import type { RequestContext } from '@postern/messaging';
import type { RuntimeStatus, ServicePlan } from '@postern/runtime';
import type { Reach } from '../../projects/reached-projects.js';
import type { ChangeCommand, ReconcilerCommand, WebServiceCommand } from './aggregate/commands.js';
import type { CreatedData, ReleaseSettings, WebServiceEvent } from './aggregate/events.js';
import { webServiceNotFound } from './aggregate/refusals.js';
import type { WebService } from './aggregate/state.js';

/** The event streams of web services, and the rows that must be consistent with them. */
export abstract class WebServiceRepository {
  abstract stateOf(webServiceId: string): Promise<WebService>;

  /** Returns all events of a web service up to a time. */
  abstract historyOf(webServiceId: string, until: Date): Promise<readonly WebServiceEvent[]>;

  /** Refuses above the limit. Resolves once the read models contain the web service. */
  abstract create(limit: CreationLimit, created: CreatedData): Promise<void>;

  /** Changes settings; refuses above the limit. Resolves once the read models contain the change. */
  abstract change(limit: CreationLimit | undefined, webServiceId: string, command: ChangeCommand): Promise<void>;

  /**
   * Executes one command at a time per web service, over all replicas; concurrent callers wait instead of failing.
   * Resolves once the read models contain the result. Refusals of the decider append no events.
   */
  abstract execute(webServiceId: string, commandAt: (at: string) => WebServiceCommand): Promise<WebService>;

  /** Like `execute`, without waiting for the read models. */
  abstract record(webServiceId: string, commandAt: (at: string) => ReconcilerCommand): Promise<WebService>;

  /** Returns the context of the request for a deployment, rollback, start or restart. */
  abstract originOf(webServiceId: string, id: string): Promise<RequestContext | undefined>;

  /** Calls the listener after this process changes the number of instances of a web service. */
  abstract onScaled(listener: () => void): () => void;

  /** Calls the listener after this process appends events; polling finds events of other replicas. */
  abstract onChange(listener: () => void): () => void;
}

/** A serving release, with everything that a plan needs except its configuration. */
export interface ServingRelease extends Omit<ServicePlan, 'environment' | 'secrets' | 'deadlineMs'> {
  readonly configurationId: string;
  /** False while the web service has the status failed because no instance responds. */
  readonly answering: boolean;
}

type PlanSettings = Pick<
  ServicePlan,
  'name' | 'startCommand' | 'port' | 'healthCheckPath' | 'instance' | 'drainSeconds' | 'processes' | 'disk'
>;

/** Maps the settings of a release to a plan of the runtime; an unset field means the default of the runtime. */
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

/** Returns the current number of instances of a release; 1 for a release with a disk. */
export const currentInstances = (
  release: Pick<ServicePlan, 'disk'>,
  { min_instances, max_instances }: { readonly min_instances: number; readonly max_instances: number },
): Pick<ServicePlan, 'minInstances' | 'maxInstances'> =>
  release.disk ? { minInstances: 1, maxInstances: 1 } : { minInstances: min_instances, maxInstances: max_instances };

/**
 * Returns the current numbers of processes, but only for the process types that the release started with. Other process types may
 * not be in its Procfile.
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
  /** @throws while the read model lacks a serving web service, because callers must not act on a partial list. */
  abstract serving(): Promise<readonly ServingRelease[]>;
  /** Returns all web services that are not yet removed. */
  abstract all(): Promise<readonly string[]>;
  /** Returns the number of events of each web service. */
  abstract historyLengths(): Promise<ReadonlyMap<string, number>>;
}

export interface OwnedWebService {
  /** The user who created the web service. */
  readonly userId: string;
}

/** Looks up the web services that a caller can access. */
export abstract class WebServiceOwners {
  /** Returns undefined also for web services of other workspaces. */
  abstract find(caller: Reach, webServiceId: string): Promise<OwnedWebService | undefined>;

  /** Refuses with `web_service_not_found` unless the caller can access the web service. */
  async requireOwner(caller: Reach, webServiceId: string): Promise<OwnedWebService> {
    const found = await this.find(caller, webServiceId);
    if (!found) throw webServiceNotFound();
    return found;
  }
}

/** Configuration of creating and rolling back web services. */
export abstract class WebServiceSettings {
  abstract readonly allowFileRepositories: boolean;
  /** Number of previously live deployments of each web service that can be rolled back to. */
  abstract readonly retainedReleases: number;
}

/** The runtime status of a serving web service; undefined if none of its instances run. */
export interface InstanceReading {
  readonly webServiceId: string;
  readonly status: RuntimeStatus | undefined;
}

/** Observes web services for metrics. Callers do not wait for it, and its methods must not throw. */
export abstract class WebServiceObserver {
  /** Called once for committed events, in the process that appended them. */
  abstract eventsCommitted(before: WebService, events: readonly WebServiceEvent[]): void;

  /** Called by the leader with all serving web services, and with an empty list when it stops leading. */
  abstract instancesRead(readings: readonly InstanceReading[]): void;
}
