import { randomBytes } from 'node:crypto';

const PASSWORD_BYTES = 32;

/** Generates the customer's database password from characters that need no escaping in a URL. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
