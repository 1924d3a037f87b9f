import { Refusal } from '@postern/contracts/refusal';
import type { RunEnd, RunOrder } from './commands.js';
import { DiskBackups } from './disk-backups.js';
import type { LogPage, LogPageQuery } from './log-pages.js';
import type { RuntimeFeature } from './runtime-feature.js';
import type { BuiltArtefact, CommitDescription, ServicePlan } from './service-plan.js';
import type { ServiceUsage } from './service-usage.js';
import type { Terminal } from './terminals.js';

/**
 * Runs web services: as processes of this machine, in Kubernetes, or through the runtime agent. Every adapter passes
 * `testing/runtime-contract.ts`. The process may be killed during any call; the caller repeats it with the same ids.
 */
export abstract class Runtime extends DiskBackups {
  /** Whether the runtime can be reached now. Orders wait until it can; queries throw `RuntimeUnavailable`. */
  async isReachable(): Promise<boolean> {
    return true;
  }

  /** The optional features of plans that this runtime supports. */
  async features(): Promise<ReadonlySet<RuntimeFeature>> {
    return new Set();
  }

  /** Missing isolation and missing limits of web services and builds on this machine, one sentence each. */
  get isolationGaps(): readonly string[] {
    return [];
  }

  /**
   * Finds the commit at the head of a branch, or of the default branch.
   * @throws SourceUnavailable with a message for the deployment's `error`; it never contains credentials.
   */
  abstract resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource>;

  /**
   * Fetches the commit, builds it, and keeps the immutable artefact. An interrupted build starts from the beginning;
   * a finished one returns its artefact at once. `output` is a log writer of this runtime. No process of the build
   * runs after the call has returned or thrown.
   * @throws BuildFailed with a message for the deployment's `error`; the signal's reason if it was aborted.
   */
  abstract build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<BuiltArtefact>;

  /**
   * Makes the service run as planned: starts the plan's instances, waits until they respond, switches the traffic to
   * them in one step, drains the older instances and stops them. A repeated call with the same plan continues. The
   * address of the service responds throughout if it responded before.
   * @throws RollFailed with the last response if the instances cannot be started or do not respond in time. The
   * instances of this plan are stopped then, and the older ones keep the traffic.
   */
  abstract roll(plan: ServicePlan, signal: AbortSignal): Promise<void>;

  /**
   * Runs a command once, beside the instances, and writes its output to the log of the service. A repeated call waits
   * for the command, or returns its result: the command is never started twice. A command that a failure
   * of the machine interrupts counts as failed.
   * @throws the signal's reason once the command has ended; an aborted command counts as run.
   */
  run(_order: RunOrder, _signal: AbortSignal): Promise<RunEnd> {
    return Promise.reject(new Error('this runtime does not support commands'));
  }

  /** The terminal of a command; waits up to `waitMs` for it. Undefined without one, or for another token. */
  async terminal(_runId: string, _token: string, _waitMs: number): Promise<Terminal | undefined> {
    return undefined;
  }

  /** Ends the traffic, then the instances and commands; none runs when it returns. Artefacts, logs and the disk are kept. */
  abstract stop(webServiceId: string, signal?: AbortSignal): Promise<void>;

  /**
   * Removes everything of a deleted web service: processes, builds, address, artefacts, caches, logs and disk.
   * Nothing is left when it returns. Succeeds if nothing of the web service exists.
   */
  abstract remove(webServiceId: string): Promise<void>;

  /**
   * Makes the runtime match the plans: starts missing instances; ends instances, builds and routes that belong to no
   * plan. Ignores the services and rolls in `rolling`. Sends no traffic to an instance that has not responded.
   */
  abstract reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void>;

  /** The status of a service; undefined if no instance runs. */
  abstract statusOf(webServiceId: string): Promise<RuntimeStatus | undefined>;

  /** Usage of every service with running instances, for samples. */
  abstract usage(): Promise<readonly ServiceUsage[]>;

  /** The stable URL of a service, the same for all its releases. Reserved by the first call. */
  abstract urlOf(webServiceId: string, name: string): Promise<string>;

  /** Routes these host names, and no others, to services; only with the feature `customDomains`. */
  async routeDomains(_domains: readonly RoutedDomain[]): Promise<void> {
    throw new Error('this runtime routes no custom domains');
  }

  /** Log lines of the service, oldest first. They are kept after the instances have ended. */
  abstract logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]>;

  /** Lines in stored order, for readers that follow the log: each line is in exactly one of consecutive pages. */
  abstract logPage(webServiceId: string, query: LogPageQuery): Promise<LogPage>;

  /** Writes build output and the platform's own messages to the log of a service. */
  abstract logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter;

  /** Unconfirmed bytes in and out of each service; one reading may not include all services. */
  abstract readTraffic(): Promise<TrafficReading>;

  /** Confirms a reading: its bytes are never read again. */
  abstract confirmTraffic(reading: TrafficReading): Promise<void>;

  /** Passes the bytes since the last confirmation to `confirm`, and confirms them if it resolves. */
  async takeTraffic(confirm: (traffic: readonly ServiceTraffic[]) => Promise<void>): Promise<void> {
    const reading = await this.readTraffic();
    await confirm(reading.services.map(({ webServiceId, bytes }) => ({ webServiceId, bytes })));
    if (reading.services.length > 0) await this.confirmTraffic(reading);
  }

  /** Deletes artefacts that are neither in `keep` nor being built. */
  abstract retainArtefacts(keep: ReadonlySet<string>): Promise<void>;
}

export interface Source {
  /** A URL that the platform accepts; the `imageAddress` of an image only with the feature `dockerfileOptions`. */
  readonly repositoryUrl: string;
  readonly branch?: string | undefined;
  /** Undefined for public repositories. For an image, `https` are the credentials of its registry. */
  readonly credentials?: SourceCredentials | undefined;
}

/** Credentials for git. They are passed to git for one fetch, and are in no argument and no log. */
export interface SourceCredentials {
  /** A private key in the OpenSSH format, and the known host keys of the server. */
  readonly ssh?: { readonly privateKey: string; readonly knownHosts?: string | undefined } | undefined;
  readonly https?: { readonly username: string; readonly token: string } | undefined;
}

export interface ResolvedSource {
  /** Undefined for an image. */
  readonly branch?: string | undefined;
  /** 40 or 64 hex digits; the digest of an image. */
  readonly commit: string;
  /** Lines for `knownHosts`, from the first connection to an SSH server. */
  readonly hostKeys?: string | undefined;
}

export interface BuildOrder {
  readonly deploymentId: string;
  readonly webServiceId: string;
  /** Of the repository or the image, as in `Source`. */
  readonly repositoryUrl: string;
  readonly commit: string;
  readonly buildCommand?: string | undefined;
  /** Checked against the artefact, so that the build of a service that cannot be started fails. */
  readonly startCommand?: string | undefined;
  /** The folder of the repository that is built and started; undefined for the root folder. */
  readonly rootDirectory?: string | undefined;
  /** Set if a Dockerfile must be built, with these options; only with the feature `images`. */
  readonly dockerfile?: DockerfileOptions | undefined;
  /** Whether the packages of earlier builds are dropped. */
  readonly clearCache?: boolean | undefined;
  /** The archive that is built instead of a commit; only with the feature `uploads`. */
  readonly upload?: SourceUpload | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Values that are masked in the output; each has at least a few characters. */
  readonly secrets: readonly string[];
  readonly credentials?: SourceCredentials | undefined;
  readonly deadlineMs: number;
}

/** How the Dockerfile of a source is built. */
export interface DockerfileOptions {
  /** Relative to the folder that is built; `Dockerfile` if undefined. */
  readonly path?: string | undefined;
  /** The stage that is built; the last one if undefined. */
  readonly target?: string | undefined;
  /** `${NAME}` in a value is a variable of the environment of the build. */
  readonly buildArguments: Readonly<Record<string, string>>;
}

/** A gzipped tar archive with the source of a build. */
export interface SourceUpload {
  readonly id: string;
  /** SHA-256 of the archive in hexadecimal. */
  readonly digest: string;
  readonly sizeBytes: number;
}

/** The stored archives. */
export abstract class SourceUploads {
  /** The bytes of an archive in parts; nothing if it is no longer stored. */
  abstract read(uploadId: string): AsyncIterable<Uint8Array>;
}

/** An additional host name of a service; lower case, A-labels. */
export interface RoutedDomain {
  readonly domain: string;
  readonly webServiceId: string;
}

export interface RuntimeStatus {
  readonly rollId: string;
  /** Instances that respond. */
  readonly healthy: number;
  readonly instances: number;
  /** Why an instance was last ended or restarted; undefined if none was. */
  readonly lastFailure?: string | undefined;
  /** How often an instance of the roll was restarted after a failure; may be reset to 0 when the platform restarts. */
  readonly restarts: number;
  /** Whether no instance runs because there are no requests; the next one starts it. */
  readonly asleep?: boolean | undefined;
  /** The processes that get no traffic, by process type; undefined if there are none. */
  readonly processes?: Readonly<Record<string, ProcessStatus>> | undefined;
}

export interface ProcessStatus {
  readonly instances: number;
  /** The recent number of restarts and their reason, if the process crashes repeatedly; null otherwise. */
  readonly failure: string | null;
}

export interface ServiceTraffic {
  readonly webServiceId: string;
  readonly bytes: number;
}

/** Unconfirmed bytes of services; a confirmation refers to `upTo` within the epoch. */
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
  /** Only lines whose message contains this text, ignoring case. */
  readonly search?: string | undefined;
  /** Only lines of this instance; of all instances if undefined. */
  readonly instance?: string | undefined;
}

export type LogStream = 'stdout' | 'stderr' | 'build' | 'platform';

export interface LogLine {
  readonly timestamp: Date;
  readonly instance: string;
  readonly stream: LogStream;
  readonly message: string;
}

/** Accepts output in arbitrary chunks; stores whole lines and masks secrets across chunk boundaries. */
export interface LogWriter {
  write(stream: LogStream, chunk: Uint8Array | string): void;
  /** Ends the last line; resolves when all lines are on disk. */
  close(): Promise<void>;
}

/** The repository or the branch does not exist, cannot be reached, or is not allowed. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The build ended without an artefact: it failed, exceeded a limit, or produced nothing that can be started. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';

  constructor(
    message: string,
    /** The description of the commit, if it was fetched. */
    readonly description?: CommitDescription,
  ) {
    super(message);
  }
}

/** The new instances did not respond; the older ones keep the traffic. */
export class RollFailed extends Error {
  override readonly name = 'RollFailed';
}

/** The runtime cannot be reached. The call may be repeated. */
export class RuntimeUnavailable extends Refusal<'runtime_unavailable'> {
  constructor(options?: ErrorOptions) {
    super('runtime_unavailable', 'the runtime is not available; try again in a few seconds');
    this.cause = options?.cause;
  }
}
