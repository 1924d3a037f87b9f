import { Refusal } from '@postern/contracts/refusal';

/**
 * Runs web services: as processes of this machine, in Kubernetes, or through the runtime agent. Every adapter passes
 * `testing/runtime-contract.ts`. A kill may interrupt any call; the caller repeats it with the same ids.
 */
export abstract class Runtime {
  /** Whether the runtime can be reached now. Orders wait until it can; readings throw `RuntimeUnavailable`. */
  async isReachable(): Promise<boolean> {
    return true;
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

  /** Ends the traffic, then the instances; none runs when it returns. Artefacts and logs stay. */
  abstract stop(webServiceId: string, signal?: AbortSignal): Promise<void>;

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

  /** Log lines of the service, oldest first. They outlive the instances. */
  abstract logs(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]>;

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
  /** Checked against the artefact, so that a service that cannot be started fails in its build. */
  readonly startCommand: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** Values of at least a few characters that are masked in the output. */
  readonly secrets: readonly string[];
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
