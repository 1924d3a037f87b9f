import { hash, randomBytes } from 'node:crypto';
import { Refusal } from '@postern/contracts/refusal';

/** Generates a token for a mailed link and its hash for storage. With 256 random bits, a fast hash suffices. */
export const newMailedToken = (): { readonly token: string; readonly tokenHash: string } => {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hash('sha256', token) };
};

export const tokenInvalid = (): Refusal =>
  new Refusal('token_invalid', 'token: the link is not valid, has expired, or was used; ask for a new one');
