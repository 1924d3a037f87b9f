import { z } from 'zod';
import { id } from '../shapes.js';

/** Shapes that a service's environment and a project's secrets share. */

/** Which of a project's secrets a web service gets. */
export const secretScope = z.enum(['production', 'staging', 'development']);

export type SecretScope = z.output<typeof secretScope>;

/** What a secret value reads as. */
export const MASKED_VALUE = '********';

export const variableKey = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,254}$/,
    'must begin with a letter or _, go on with letters, digits and _, 255 at most',
  );

const encoder = new TextEncoder();

/** Up to 64 KiB of UTF-8; no NUL, which no process can have in its environment. */
export const variableValue = z
  .string()
  .refine(value => !value.includes('\0'), 'must not hold a NUL character')
  .refine(value => value.length <= 65_536 && encoder.encode(value).length <= 65_536, 'must have at most 64 KiB');

export const deletion = z.object({ id, deleted: z.literal(true) });
export const bulkResult = z.object({ created: z.array(z.string()), updated: z.array(z.string()) });
export type BulkResult = z.output<typeof bulkResult>;
