import type { CreationLimit } from '@postern/event-sourcing';
import type { RequestContext } from '@postern/messaging';
import type { RuntimeStatus, ServicePlan } from '@postern/runtime';
import type { DriverCommand, WebServiceCommand } from './aggregate/commands.js';
import type { CreatedData, WebServiceEvent } from './aggregate/events.js';
import { webServiceNotFound } from './aggregate/refusals.js';
import type { WebService } from './aggregate/state.js';

/** The event streams of web services, and the rows that must agree with them. */
export abstract class WebServiceRepository {
  abstract stateOf(webServiceId: string): Promise<WebService>;

  /** All events of a web service up to a time. */
  abstract historyOf(webServiceId: string, until: Date): Promise<readonly WebServiceEvent[]>;

  /** Refuses past the limit. Resolves once the read models show the web service. */
  abstract create(limit: CreationLimit, created: CreatedData): Promise<void>;

  /**
   * Runs one command at a time per web service, over all replicas; concurrent callers wait instead of failing.
   * Resolves once the read models show the result. Refusals of the decider append nothing.
   */
  abstract execute(webServiceId: string, commandAt: (at: string) => WebServiceCommand): Promise<WebService>;

  /** Like `execute`, without waiting for the read models. */
  abstract record(webServiceId: string, commandAt: (at: string) => DriverCommand): Promise<WebService>;

  /** The context of the request for this deployment, rollback, start or restart. */
  abstract originOf(webServiceId: string, id: string): Promise<RequestContext | undefined>;

  /** Calls back after this process has appended; events of other replicas are found by polling. */
  abstract onChange(listener: () => void): () => void;
}

/** A release that serves traffic, with everything that a plan needs except its configuration. */
export interface ServingRelease extends Omit<ServicePlan, 'environment' | 'secrets' | 'deadlineMs'> {
  readonly configurationId: string;
  /** False while the status of the web service says that no instance answers. */
  readonly answering: boolean;
}

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

/** Tells who owns a web service, and its status. */
export abstract class WebServiceOwners {
  /** Undefined also for web services of other users. */
  abstract find(userId: string, webServiceId: string): Promise<{ readonly status: string } | undefined>;

  /** Refuses with `web_service_not_found` unless the user owns the web service. */
  async requireOwner(userId: string, webServiceId: string): Promise<void> {
    if (!(await this.find(userId, webServiceId))) throw webServiceNotFound();
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
