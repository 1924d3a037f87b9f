import { z } from 'zod';

/**
 * What is known of an instance on disk, so that whoever runs the platform next can go on with it. Values of variables
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
