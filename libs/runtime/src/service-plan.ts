export interface Artefact {
  /** The name of a directory or the digest of an image, depending on the runtime. */
  readonly reference: string;
  readonly commit: string;
}

/** What people know a commit by. */
export interface CommitDescription {
  /** The first line of its message. */
  readonly subject: string;
  /** The name of its author. */
  readonly author: string;
}

/** An artefact, with what is known about its source. */
export interface BuiltArtefact extends Artefact {
  readonly description?: CommitDescription | undefined;
  /** The lowest TCP port that an image exposes. */
  readonly port?: number | undefined;
}

/** How instances are probed; undefined fields have the defaults of the runtime. */
export interface HealthCheckSettings {
  /** The `Host` header. */
  readonly host?: string | null | undefined;
  /** How long a new instance may take until its first success. */
  readonly graceSeconds?: number | undefined;
  readonly intervalSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Consecutive failures until an instance gets no more requests. */
  readonly threshold?: number | undefined;
}

/** Targets that determine the number of instances within the limits of a plan; of the CPU if there is none. */
export interface AutoscalingSettings {
  /** In percent of the limit of an instance. */
  readonly cpuPercent?: number | null | undefined;
  readonly memoryPercent?: number | null | undefined;
  /** Of each instance. */
  readonly requestsPerSecond?: number | null | undefined;
  /** After so many minutes without a request, the instances end until the next one. */
  readonly idleMinutes?: number | null | undefined;
}

/** Contents in base64, by their paths below /etc/secrets. Instances and commands can read them. */
export type SecretFiles = Readonly<Record<string, string>>;

export interface ServicePlan {
  readonly webServiceId: string;
  /** Web services of the same project reach each other by name, if the runtime supports it. */
  readonly projectId?: string | undefined;
  readonly name: string;
  /** Identifies a repeated call. Every start, restart, deployment and rollback has a new id. */
  readonly rollId: string;
  readonly artefact: Artefact;
  readonly startCommand?: string | undefined;
  /** The port of the instances if the runtime can choose it freely; otherwise `PORT` contains the port. */
  readonly port: number;
  readonly healthCheckPath?: string | undefined;
  readonly healthCheck?: HealthCheckSettings | undefined;
  /** How long the first byte of a response may take; undefined for the limit of the runtime. */
  readonly firstByteSeconds?: number | undefined;
  readonly minInstances: number;
  readonly maxInstances: number;
  readonly autoscaling?: AutoscalingSettings | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly files?: SecretFiles | undefined;
  readonly secrets: readonly string[];
  readonly deadlineMs: number;
  /** The limits of each instance; undefined for the defaults of the runtime. */
  readonly instance?: { readonly memoryMib: number; readonly cpuMillicores: number } | undefined;
  /** The time after SIGTERM in which an instance may finish its requests. */
  readonly drainSeconds?: number | undefined;
  /**
   * Runs before the instances of the roll start, with their environment; its failure fails the roll. A repeated roll
   * does not run it again.
   */
  readonly releaseCommand?: string | undefined;
  /** Number of instances of other process types of the Procfile, by name; they get no traffic. */
  readonly processes?: Readonly<Record<string, number>> | undefined;
  /**
   * Storage of the instance that is kept until the service is removed. With a disk, one instance runs at a time: the
   * older one ends before the next one starts, and `minInstances` and `maxInstances` are 1.
   */
  readonly disk?: { readonly sizeMib: number } | undefined;
}
