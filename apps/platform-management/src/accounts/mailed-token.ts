import { createHash, randomBytes } from 'node:crypto';

/** A token for a link that is mailed, and the hash by which it is known: 256 random bits need no slow hash. */
export const newMailedToken = (): { readonly token: string; readonly tokenHash: string } => {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashOfMailedToken(token) };
};

export const hashOfMailedToken = (token: string): string => createHash('sha256').update(token).digest('hex');
