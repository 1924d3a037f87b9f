import { z } from 'zod';
import { MIB } from '../http-route.js';
import { id } from '../shapes.js';

/** Shapes shared by the variables of a web service and the secrets of a project. */

/** The scope of a project secret; a web service receives the secrets of its environment. */
export const secretScope = z.enum(['production', 'staging', 'development']);

export type SecretScope = z.output<typeof secretScope>;

/** Returned instead of a secret value. */
export const MASKED_VALUE = '********';

export const variableKey = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,254}$/,
    'must start with a letter or _ and contain only letters, digits and _, at most 255 characters',
  );

const SET_BY_PLATFORM = new Set(['PORT', 'DISK_PATH', 'PATH']);

/** Programs of users read these, as the documentation shows. */
const FOR_USERS = new Set(['POSTERN_URL', 'POSTERN_EMAIL_KEY', 'POSTERN_PLATFORM_KEY', 'POSTERN_WEBHOOK_SECRET']);

/** Whether Postern sets the variable, or could in a later version. */
export const isReservedVariable = (key: string): boolean =>
  SET_BY_PLATFORM.has(key) || (key.startsWith('POSTERN_') && !FOR_USERS.has(key));

const encoder = new TextEncoder();

/** Up to 64 KiB of UTF-8 without NUL, which a process environment cannot contain. */
export const variableValue = z
  .string()
  .refine(value => !value.includes('\0'), 'must not contain a NUL character')
  .refine(value => value.length <= 65_536 && encoder.encode(value).length <= 65_536, 'must have at most 64 KiB');

/** 1,000 variables of 64 KiB would be 64 MiB; one request over NATS carries 16 MiB, so many large ones need several. */
export const MAX_BULK_BYTES = 10 * MIB;

export const deletion = z.object({
  id: id.describe('ID of the deleted resource.'),
  deleted: z.literal(true).describe('Always true.'),
});
export const bulkResult = z.object({
  created: z.array(z.string()).describe('The keys that are new.'),
  updated: z.array(z.string()).describe('The keys that existed and have the new value.'),
});
export type BulkResult = z.output<typeof bulkResult>;
