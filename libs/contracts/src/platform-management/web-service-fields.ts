import { z } from 'zod';

export const instanceSize = z.strictObject({
  memory_mib: z.int().min(64).max(65_536).describe('Memory limit of an instance in MiB.'),
  cpu_millicores: z.int().min(100).max(64_000).describe('CPU limit of an instance in millicores; 1,000 are one core.'),
});

export const disk = z.strictObject({
  size_mib: z.int().min(16).max(102_400).describe('The size of the disk in MiB. It can only grow.'),
});

export const command = z.string().trim().min(1, 'must not be empty').max(4096);
export const instances = z.int().min(1).max(20);
export const healthCheckPath = z
  .string()
  .max(1024)
  .regex(/^\/[!-~]*$/, 'must start with / and contain no spaces');

export const processType = z
  .string()
  .regex(/^(?!(web|release)$)[A-Za-z0-9_-]{1,40}$/, 'must be the name of a process type other than web and release');
