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
  port: z.int(),
  healthCheckPath: z.string().optional(),
  secretNames: z.array(z.string()),
  /** Undefined until the process has been started, or for good when the platform was killed just then. */
  process: z.object({ pid: z.int(), startTime: z.string() }).optional(),
});

export type InstanceRecord = Readonly<z.infer<typeof instanceRecord>>;
