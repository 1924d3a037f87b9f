import { z } from 'zod';

const percent = z.int().min(1).max(100);

/** When instances are added and removed, within `min_instances` and `max_instances`. */
export const autoscaling = z.strictObject({
  cpu_percent: percent
    .nullable()
    .optional()
    .describe('Target for the average CPU usage, in percent of the limit of an instance; 70 if there is no target.'),
  memory_percent: percent
    .nullable()
    .optional()
    .describe('Target for the average memory usage, in percent of the limit of an instance.'),
  requests_per_second: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .optional()
    .describe('Target for the requests per second of each instance.'),
  idle_minutes: z
    .int()
    .min(1)
    .max(1_440)
    .nullable()
    .optional()
    .describe(
      'After so many minutes without a request the instances end; the next request starts them, and waits. Never if ' +
        'absent or null.',
    ),
});
export type Autoscaling = z.output<typeof autoscaling>;
