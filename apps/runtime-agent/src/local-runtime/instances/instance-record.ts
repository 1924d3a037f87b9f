import { z } from 'zod';

/**
 * The record of an instance on disk, from which the next platform process continues. It contains no values of
 * variables: those of secrets are read from the environment of the running process, by `secretNames`.
 */
export const instanceRecord = z.object({
  id: z.string(),
  /** The instance name in log lines. */
  name: z.string(),
  webServiceId: z.string(),
  rollId: z.string(),
  artefact: z.string(),
  /** Undefined for commands and for processes without traffic. */
  port: z.int().optional(),
  /** The port that gets the requests, because the instance listens there and not on `port`; undefined for `port`. */
  otherPort: z.int().optional(),
  /** The address of its network; undefined without a port, and if it uses the network of the machine. */
  host: z.string().optional(),
  healthCheckPath: z.string().optional(),
  healthCheck: z
    .object({
      host: z.string().nullish(),
      graceSeconds: z.number().optional(),
      intervalSeconds: z.number().optional(),
      timeoutSeconds: z.number().optional(),
      threshold: z.number().optional(),
    })
    .optional(),
  /** How long the first byte of a response may take; undefined for the limit of the load balancer. */
  firstByteSeconds: z.number().optional(),
  /** The host that visitors send, and so do probes; undefined without a port. */
  publicHost: z.string().optional(),
  /** Undefined if the default of the runtime applies. */
  drainSeconds: z.int().optional(),
  /** A command that runs once and is not replaced when it ends. */
  command: z
    .object({
      id: z.string(),
      stream: z.enum(['build']).optional(),
      /** Whether it has a terminal, with which it ends. */
      hasTerminal: z.boolean().optional(),
    })
    .optional(),
  /** The process type of the Procfile; undefined for `web`. */
  processType: z.string().optional(),
  /** Whether `process` runs the service as a child process in new namespaces. */
  isBoxed: z.boolean().optional(),
  /** Undefined if the default limits of the runtime apply. */
  size: z.object({ memoryBytes: z.number(), cpuMillicores: z.number() }).optional(),
  /** Undefined if the instance has no disk. */
  disk: z.object({ sizeMib: z.number() }).optional(),
  secretNames: z.array(z.string()),
  /** Undefined until the process has started; stays undefined if Postern is killed in between. */
  process: z.object({ pid: z.int(), startTime: z.string() }).optional(),
});

export type InstanceRecord = Readonly<z.infer<typeof instanceRecord>>;
