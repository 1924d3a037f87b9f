import { Refusal } from '@postern/contracts/refusal';
import type { RunEnd, RunOrder } from './commands.js';
import type { LogPage, LogPageQuery } from './log-pages.js';

/**
 * Runs web services: as processes of this machine, in Kubernetes, or through the runtime agent. Every adapter passes
 * `testing/runtime-contract.ts`. A kill may interrupt any call; the caller repeats it with the same ids.
 */
export abstract class Runtime {
  /** Whether the runtime can be reached now. Orders wait until it can; readings throw `RuntimeUnavailable`. */
  async isReachable(): Promise<boolean> {
    return true;
  }

  /** What plans of this runtime may ask for. */
  async features(): Promise<ReadonlySet<RuntimeFeature>> {
    return new Set();
  }

  /** What web services and builds are not isolated from or limited in on this machine, one sentence each. */
  get isolationGaps(): readonly string[] {
    return [];
  }

  /**
   * Finds the commit at the head of a branch, or of the default branch.
   * @throws SourceUnavailable with a message for the deployment's `error`; it never contains credentials.
   */
  abstract resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource>;

  /**
   * Fetches the commit, builds it, and keeps the immutable artefact. An interrupted build starts from the beginning; a
   * finished one returns its artefact at once. `output` is a log writer of this runtime. When the call returns or
   * throws, no process of the build runs.
   * @throws BuildFailed with a message for the deployment's `error`; the signal's reason if it was aborted.
   */
  abstract build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact>;

  /**
   * Makes the service run as planned: starts the plan's instances, waits until they answer, switches the traffic to them
   * in one step, drains the older instances and stops them. The same plan again continues. The address of the service
   * answers throughout if it answered before.
   * @throws RollFailed with the last answer if the instances cannot be started or do not answer in time. The instances
   * of this plan are stopped then, and the older ones keep the traffic.
   */
  abstract roll(plan: ServicePlan, signal: AbortSignal): Promise<void>;

  /**
   * Runs a command once, beside the instances, and writes its output to the log of the service. The same order again
   * waits for the command, or answers how it ended: it is never started twice. A command that a kill of the machine
   * interrupted has failed.
   * @throws the signal's reason once the command has ended; an aborted command counts as run.
   */
  run(_order: RunOrder, _signal: AbortSignal): Promise<RunEnd> {
    return Promise.reject(new Error('this runtime does not support commands'));
  }

  /** Ends the traffic, then the instances and commands; none runs when it returns. Artefacts, logs and the disk stay. */
  abstract stop(webServiceId: string, signal?: AbortSignal): Promise<void>;

  /**
   * Ends everything of a deleted web service and deletes all that is kept of it: processes, builds, address, artefacts,
   * caches, logs and its disk. Nothing is left when it returns. One of which nothing is there is removed.
   */
  abstract remove(webServiceId: string): Promise<void>;

  /**
   * Makes the runtime agree with the plans: starts missing instances; ends instances, builds and routes that belong to no
   * plan. Ignores the services and rolls in `rolling`. Sends no traffic to an instance that has not answered.
   */
  abstract reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void>;

  /** The status of a service; undefined if no instance runs. */
  abstract statusOf(webServiceId: string): Promise<RuntimeStatus | undefined>;

  /** Usage of every service with running instances, for samples. */
  abstract usage(): Promise<readonly ServiceUsage[]>;

  /** The stable URL of a service, the same for all its releases. Reserved at the first call. */
  abstract urlOf(webServiceId: string, name: string): Promise<string>;

  /** Routes these host names, and no others, to services; only with the feature `customDomains`. */
  async routeDomains(_domains: readonly RoutedDomain[]): Promise<void> {
    throw new Error('this runtime routes no custom domains');
  }

  /** Log lines of the service, oldest first. They outlive the instances. */
  abstract logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]>;

  /** Lines as they were stored, for readers that follow the log: each of them is in exactly one of consecutive pages. */
  abstract logPage(webServiceId: string, query: LogPageQuery): Promise<LogPage>;

  /** Writes build output and the platform's own messages to the log of a service. */
  abstract logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter;

  /** Bytes in and out of each service that nobody has confirmed yet; possibly not of all services at once. */
  abstract readTraffic(): Promise<TrafficReading>;

  /** Confirms a reading: its bytes are never read again. */
  abstract confirmTraffic(reading: TrafficReading): Promise<void>;

  /** Hands over the bytes since the last confirmation, and confirms them if `confirm` resolves. */
  async takeTraffic(confirm: (traffic: readonly ServiceTraffic[]) => Promise<void>): Promise<void> {
    const reading = await this.readTraffic();
    await confirm(reading.services.map(({ webServiceId, bytes }) => ({ webServiceId, bytes })));
    if (reading.services.length > 0) await this.confirmTraffic(reading);
  }

  /** Deletes artefacts that are neither in `keep` nor being built. */
  abstract retainArtefacts(keep: ReadonlySet<string>): Promise<void>;
}

export interface Source {
  /** A URL that the platform accepts. */
  readonly repositoryUrl: string;
  readonly branch: string | undefined;
  /** Undefined for public repositories. */
  readonly credentials?: SourceCredentials | undefined;
}

/** What git authenticates with. It is handed to git for one fetch, and is in no argument and no log. */
export interface SourceCredentials {
  /** A private key in the OpenSSH format, and the host keys that are known of the server. */
  readonly ssh?: { readonly privateKey: string; readonly knownHosts?: string | undefined } | undefined;
  readonly https?: { readonly username: string; readonly token: string } | undefined;
}

export interface ResolvedSource {
  readonly branch: string;
  /** 40 or 64 hex digits. */
  readonly commit: string;
  /** Of an SSH server that was asked for the first time: lines for `knownHosts`. */
  readonly hostKeys?: string | undefined;
}

export interface BuildOrder {
  readonly deploymentId: string;
  readonly webServiceId: string;
  readonly repositoryUrl: string;
  readonly commit: string;
  readonly buildCommand: string | undefined;
  /** Checked against the artefact, so that a service that cannot be started fails in its build. */
  readonly startCommand: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Values of at least a few characters that are masked in the output. */
  readonly secrets: readonly string[];
  readonly credentials?: SourceCredentials | undefined;
  readonly deadlineMs: number;
}

export interface Artefact {
  /** The name of a directory or the digest of an image, depending on the runtime. */
  readonly reference: string;
  readonly commit: string;
}

export interface ServicePlan {
  readonly webServiceId: string;
  readonly name: string;
  /** Identifies a repeated call. Every start, restart, deployment and rollback has a new id. */
  readonly rollId: string;
  readonly artefact: Artefact;
  readonly startCommand: string | undefined;
  /** The port that instances listen on where the runtime can give them any; otherwise `PORT` names it. */
  readonly port: number;
  readonly healthCheckPath: string | undefined;
  readonly minInstances: number;
  readonly maxInstances: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly deadlineMs: number;
  /** The limits of each instance; undefined for those of the runtime. */
  readonly instance?: { readonly memoryMib: number; readonly cpuMillicores: number } | undefined;
  /** How long an instance may finish its requests after SIGTERM. */
  readonly drainSeconds?: number | undefined;
  /**
   * Runs before the instances of the roll start, with their environment; its failure fails the roll. A repeated roll
   * does not run it again.
   */
  readonly releaseCommand?: string | undefined;
  /** Instances of other process types of the Procfile, by name; they get no traffic. */
  readonly processes?: Readonly<Record<string, number>> | undefined;
  /**
   * Files of the instance that outlive it, until the service is removed. With a disk one instance runs at a time: the
   * older one ends before the next one starts, and `minInstances` and `maxInstances` are 1.
   */
  readonly disk?: { readonly sizeMib: number } | undefined;
}

/** Fields of a plan that not every runtime carries out, `runs` for commands, and custom domains. */
export type RuntimeFeature =
  | 'instance'
  | 'drainSeconds'
  | 'releaseCommand'
  | 'processes'
  | 'disk'
  | 'runs'
  | 'customDomains';

/** A host name that reaches a service besides its URL; lower case, A-labels. */
export interface RoutedDomain {
  readonly domain: string;
  readonly webServiceId: string;
}

export interface RuntimeStatus {
  readonly rollId: string;
  /** Instances that answer. */
  readonly healthy: number;
  readonly instances: number;
  /** Why an instance was last ended or restarted; undefined if none was. */
  readonly lastFailure: string | undefined;
  /** How often an instance of the roll was restarted after a failure; may begin again with 0 after a restart. */
  readonly restarts: number;
  /** The processes that get no traffic, by process type; undefined where there is none. */
  readonly processes?: Readonly<Record<string, ProcessStatus>> | undefined;
}

export interface ProcessStatus {
  readonly instances: number;
  /** How often it was restarted of late, and why, if it crashes again and again; null otherwise. */
  readonly failure: string | null;
}

export interface ServiceUsage {
  readonly webServiceId: string;
  readonly cpuMillicores: number;
  /** Percent of the limit of all running instances together. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
  readonly instances: number;
}

export interface ServiceTraffic {
  readonly webServiceId: string;
  readonly bytes: number;
}

/** Unconfirmed bytes of services; `upTo` is what a confirmation names, within the epoch. */
export interface TrafficReading {
  readonly epoch: string;
  readonly services: readonly (ServiceTraffic & { readonly upTo: number })[];
}

export interface LogQuery {
  readonly tail: number;
  /** Unix seconds; lines at or after it. */
  readonly since: number | undefined;
  /** Unix seconds; lines at or before it. */
  readonly until?: number | undefined;
  /** All streams if undefined. */
  readonly streams?: readonly LogStream[] | undefined;
  /** Only lines whose message contains it, in any case. */
  readonly search?: string | undefined;
  /** Of one instance; of all if undefined. */
  readonly instance?: string | undefined;
}

export type LogStream = 'stdout' | 'stderr' | 'build' | 'platform';

export interface LogLine {
  readonly timestamp: Date;
  readonly instance: string;
  readonly stream: LogStream;
  readonly message: string;
}

/** Takes output in chunks that may be cut anywhere; keeps whole lines and masks secrets across the cuts. */
export interface LogWriter {
  write(stream: LogStream, chunk: Uint8Array | string): void;
  /** Makes a line of the rest; resolves when all is on disk. */
  close(): Promise<void>;
}

/** The repository or the branch does not exist, cannot be reached, or is not allowed. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The build ended without an artefact: it failed, exceeded a limit, or made nothing that can be started. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}

/** The new instances did not answer; the older ones keep the traffic. */
export class RollFailed extends Error {
  override readonly name = 'RollFailed';
}

/** The runtime cannot be reached. The call may be repeated. */
export class RuntimeUnavailable extends Refusal<'runtime_unavailable'> {
  constructor(options?: ErrorOptions) {
    super('runtime_unavailable', 'The runtime is not available at the moment. Try again in a few seconds.');
    this.cause = options?.cause;
  }
}
