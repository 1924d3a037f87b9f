/**
 * What runs web services: processes on this machine, or Kubernetes. Every adapter keeps the promises of
 * `testing/runtime-contract.ts`. Everything here may be cut off by a kill at any point and asked for again with the
 * same ids afterwards; no call leaves anything behind that the next one, or `reconcile`, does not find.
 */
export abstract class Runtime {
  /**
   * Finds the commit that a branch stands at; the repository's default branch where none is named.
   * @throws SourceUnavailable with words for the deployment's `error`, credentials never among them.
   */
  abstract resolveSource(source: Source, signal: AbortSignal): Promise<ResolvedSource>;

  /**
   * Fetches exactly that commit, builds it once, and keeps what came out, immutable. Builds wait for each other, where only so many may go on; one
   * that is asked for again after an interruption starts from the beginning, and one that is done answers at once.
   * When it returns or throws, nothing of the build runs any more, whatever it started.
   * @throws BuildFailed with words for the deployment's `error`; the signal's reason when it was cancelled.
   */
  abstract build(order: BuildOrder, output: LogWriter, signal: AbortSignal): Promise<Artefact>;

  /**
   * Makes the service run as planned: starts the plan's instances, waits until they answer, moves the traffic to them
   * in one step, lets the older ones finish what they have and stops them. The same plan again goes on where it was.
   * The address of the service answers without a gap when anything answered before.
   * @throws RollFailed when they do not answer in time or cannot be started, with the last answer in its words: the
   * instances of this plan are gone then, and what carried the traffic before still does.
   */
  abstract roll(plan: ServicePlan, signal: AbortSignal): Promise<void>;

  /** Ends traffic, then instances; nothing of the service runs when it returns. Artefacts and logs stay. */
  abstract stop(webServiceId: string): Promise<void>;

  /**
   * Makes the runtime agree with the truth after a restart, and then again and again: plans whose instances are missing
   * get them back, and instances, builds and routes that belong to no plan are gone. Releases under way (`rolling`)
   * are left alone. Starts no traffic towards an instance that has not answered.
   */
  abstract reconcile(expected: readonly ServicePlan[], rolling: ReadonlySet<string>): Promise<void>;

  /** What runs of a service now; undefined when nothing does. */
  abstract statusOf(webServiceId: string): Promise<RuntimeStatus | undefined>;

  /** Sums of all services with running instances, for sampling. */
  abstract usage(): Promise<readonly ServiceUsage[]>;

  /** The stable address of a service, over all its releases; made on the first question. */
  abstract urlOf(webServiceId: string, name: string): Promise<string>;

  /** The service's lines, oldest first; they outlive the instances. */
  abstract logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]>;

  /** Where build output and the platform's own remarks on a service go. */
  abstract logWriter(webServiceId: string, instance: string, redact: readonly string[]): LogWriter;

  /** Bytes that went in and out of the services since they were last asked for and confirmed. */
  abstract takeTraffic(confirm: (traffic: readonly ServiceTraffic[]) => Promise<void>): Promise<void>;

  /** Deletes artefacts that are not in `keep`, nor being built. */
  abstract retainArtefacts(keep: ReadonlySet<string>): Promise<void>;
}

export interface Source {
  /** As `domain/source/repository-url.ts` accepts it. */
  readonly repositoryUrl: string;
  readonly branch: string | undefined;
}

export interface ResolvedSource {
  readonly branch: string;
  /** 40 or 64 hex digits. */
  readonly commit: string;
}

export interface BuildOrder {
  readonly deploymentId: string;
  readonly webServiceId: string;
  readonly repositoryUrl: string;
  readonly commit: string;
  readonly buildCommand: string | undefined;
  /** Checked against what the artefact offers, so that a service that cannot be started fails in its build. */
  readonly startCommand: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Values of at least a few characters that no line of output may show. */
  readonly secrets: readonly string[];
  readonly deadlineMs: number;
}

export interface Artefact {
  /** A directory's name or an image digest: the runtime knows. */
  readonly reference: string;
  readonly commit: string;
}

export interface ServicePlan {
  readonly webServiceId: string;
  readonly name: string;
  /** What a repeated call is recognised by. Every start, restart, deployment and rollback is a roll of its own. */
  readonly rollId: string;
  readonly artefact: Artefact;
  readonly startCommand: string | undefined;
  /** What the process listens on where the runtime can give it any port; otherwise `PORT` says. */
  readonly port: number;
  readonly healthCheckPath: string | undefined;
  readonly minInstances: number;
  readonly maxInstances: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly deadlineMs: number;
}

export interface RuntimeStatus {
  readonly rollId: string;
  /** Instances that answer. */
  readonly healthy: number;
  readonly instances: number;
  /** Why an instance was last ended or started anew; undefined while none was. */
  readonly lastFailure: string | undefined;
  /**
   * How often an instance of the roll was started anew after it had failed, as far as the runtime remembers: it may
   * begin again with 0 when the platform does, or when instances go.
   */
  readonly restarts: number;
}

export interface ServiceUsage {
  readonly webServiceId: string;
  readonly cpuMillicores: number;
  /** Of the limit of all running instances together; 100 is all of it. */
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly memoryPercent: number;
  readonly instances: number;
}

export interface ServiceTraffic {
  readonly webServiceId: string;
  readonly bytes: number;
}

export interface LogQuery {
  readonly tail: number;
  /** Unix seconds; lines at or after it. */
  readonly since: number | undefined;
}

export type LogStream = 'stdout' | 'stderr' | 'build' | 'platform';

export interface LogLine {
  readonly timestamp: Date;
  readonly instance: string;
  readonly stream: LogStream;
  readonly message: string;
}

/** Takes output as it comes, cut anywhere; whole lines are kept, secrets masked across the cuts. */
export interface LogWriter {
  write(stream: LogStream, chunk: Uint8Array | string): void;
  /** What is left without a line end becomes a line; resolves when all is on disk. */
  close(): Promise<void>;
}

/** The repository or the branch is not there, not reachable, or not allowed. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The build ended without an artefact: its own failure, a limit, or a service that nothing starts. */
export class BuildFailed extends Error {
  override readonly name = 'BuildFailed';
}

/** The new instances never answered; what ran before still does. */
export class RollFailed extends Error {
  override readonly name = 'RollFailed';
}
