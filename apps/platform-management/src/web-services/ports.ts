import type { SecretScope } from '@postern/contracts';
import type { RequestContext } from '@postern/messaging';
import type { ServicePlan } from '../ports/runtime.js';
import type { StageDeadlines } from '../reconciler/next-steps.js';
import type { DriversCommand, WebServiceCommand } from './aggregate/commands.js';
import type { WebServiceEvent } from './aggregate/events.js';
import type { WebService } from './aggregate/state.js';

/** The streams of web services, with what has to be true of all services at once. */
export abstract class WebServiceLedger {
  abstract stateOf(webServiceId: string): Promise<WebService>;

  /** Everything that has happened to it, up to a time. */
  abstract historyOf(webServiceId: string, until: Date): Promise<readonly WebServiceEvent[]>;

  /**
   * Decides one command after another, over all replicas; fifty at once wait for each other instead of failing.
   * Resolves once the read models show it. Refusals of the decider pass through and append nothing.
   */
  abstract execute(webServiceId: string, commandAt: (at: string) => WebServiceCommand): Promise<WebService>;

  /** Like `execute` for the driver, who does not read the read models. */
  abstract record(webServiceId: string, commandAt: (at: string) => DriversCommand): Promise<WebService>;

  /** The request that asked for this deployment, rollback, start or restart. */
  abstract originOf(webServiceId: string, id: string): Promise<RequestContext | undefined>;

  /** Calls back after this process has appended; what others appended is found by looking again. */
  abstract onChange(listener: () => void): () => void;
}

/** A release that carries a service's traffic, with all that a plan needs but the secrets. */
export interface ServingRelease extends Omit<ServicePlan, 'environment' | 'secrets' | 'deadlineMs'> {
  readonly configurationId: string;
  /** False while the service's status says that nothing answers. */
  readonly answering: boolean;
}

/** What stands now, as true as the events: written in their transactions. */
export abstract class WebServiceStandings {
  /** Services in a state that is not final. */
  abstract withWork(): Promise<readonly string[]>;
  /** @throws while the read models do not know a service that serves: nothing may be concluded from half a list. */
  abstract serving(): Promise<readonly ServingRelease[]>;
  /** Every service that was ever created. */
  abstract all(): Promise<readonly string[]>;
  /** How many events each of them has. */
  abstract historyLengths(): Promise<ReadonlyMap<string, number>>;
}

/** Environment variables of one release, and which of their values nobody may read in a log. */
export interface Configuration {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** Today's configuration of a service, and the sealed ones of its releases. */
export abstract class ReleaseConfigurations {
  abstract current(webServiceId: string, projectId: string, scope: SecretScope): Promise<Configuration>;
  /** Seals under that id; the same id again replaces what was there. */
  abstract seal(configurationId: string, configuration: Configuration): Promise<void>;
  abstract open(configurationId: string): Promise<Configuration>;
  /** For good; those that are not there are forgotten already. */
  abstract forget(configurationIds: readonly string[]): Promise<void>;
}

/** Whose a project is. */
export abstract class ProjectOwners {
  abstract ownerOf(projectId: string): Promise<string | undefined>;
}

/** One process of the whole service at a time does what is given. */
export abstract class Leadership {
  /**
   * @param lead gets a signal that aborts when leadership is lost or no longer wanted; it must end soon after.
   * @returns false, without having called `lead`, when somebody else leads.
   */
  abstract lead(name: string, stop: AbortSignal, lead: (lost: AbortSignal) => Promise<void>): Promise<boolean>;
}

/** What an operator of Postern configures about web services. */
export abstract class WebServiceSettings {
  abstract readonly allowFileRepositories: boolean;
  abstract readonly deadlines: StageDeadlines;
  /** Builds of all services that run side by side. */
  abstract readonly concurrentBuilds: number;
  /** Deployments of each service that were live and can be gone back to. */
  abstract readonly retainedReleases: number;
  /** How often the driver looks for what other replicas appended, and for deadlines. */
  abstract readonly pollMs: number;
  abstract readonly reconcileMs: number;
  /** How often at most artefacts are looked through. */
  abstract readonly retainMs: number;
  /** How long nothing of a service may answer before its status says so. */
  abstract readonly unansweringMs: number;
}
