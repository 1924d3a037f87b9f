import { randomBytes } from 'node:crypto';

const PASSWORD_BYTES = 32;

/** A password for the customer of a database, of characters that every client library takes in a URL. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
