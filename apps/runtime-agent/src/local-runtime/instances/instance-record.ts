import { z } from 'zod';

/**
 * The record of an instance on disk, with which the next process continues. Values of variables
 * are never in it: they are read from the environment of the running process, by the names here.
 */
export const instanceRecord = z.object({
  id: z.string(),
  /** As log lines name it. */
  name: z.string(),
  webServiceId: z.string(),
  rollId: z.string(),
  artefact: z.string(),
  /** Undefined for a command, and for a process that gets no traffic. */
  port: z.int().optional(),
  healthCheckPath: z.string().optional(),
  /** A command that is run once, and is not replaced when it ends. */
  command: z.object({ id: z.string(), stream: z.enum(['build']).optional() }).optional(),
  /** The process type of the Procfile; undefined for `web`. */
  processType: z.string().optional(),
  /** Whether the process below starts another one in namespaces of its own. */
  isBoxed: z.boolean().optional(),
  /** Undefined where the limits of the runtime apply. */
  size: z.object({ memoryBytes: z.number(), cpuMillicores: z.number() }).optional(),
  /** Undefined where no file outlives it. */
  disk: z.object({ sizeMib: z.number() }).optional(),
  secretNames: z.array(z.string()),
  /** Undefined until the process has been started, or for good when the platform was killed just then. */
  process: z.object({ pid: z.int(), startTime: z.string() }).optional(),
});

export type InstanceRecord = Readonly<z.infer<typeof instanceRecord>>;
