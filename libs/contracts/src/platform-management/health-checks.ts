import { z } from 'zod';

const host = z
  .string()
  .max(261)
  .regex(
    /^(?!-)[A-Za-z0-9._-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/,
    'must be a host name such as shop.example.com, with a port if needed',
  );

/** How instances are checked; the path is `health_check_path`. Absent fields have the defaults. */
export const healthCheck = z.strictObject({
  host: host
    .nullable()
    .optional()
    .describe('The `Host` header of the requests; the host of the service’s URL if absent or null.'),
  grace_seconds: z
    .int()
    .min(1)
    .max(900)
    .optional()
    .describe('How long a new instance may take until its first successful check; the release deadline if absent.'),
  interval_seconds: z.int().min(1).max(300).optional().describe('Seconds between two checks; 3 if absent.'),
  timeout_seconds: z.int().min(1).max(60).optional().describe('Seconds that a check may take; 5 if absent.'),
  threshold: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe('Consecutive failed checks until an instance gets no more requests; 3 if absent.'),
});
export type HealthCheck = z.output<typeof healthCheck>;

/** How long the first byte of a response may take. */
export const firstByteTimeout = z.int().min(1).max(3_600);
