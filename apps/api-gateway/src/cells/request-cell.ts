import type { IncomingMessage } from 'node:http';
import type { CallerKind } from '@postern/contracts';
import type { TrackingTokens } from '@postern/mail';
import type { CredentialKind } from './cells.js';

/** A secret of a request that belongs to one cell. */
export interface Credential {
  readonly kind: CredentialKind;
  readonly secret: string;
}

/** A field in the body of a request without a credential. */
export interface LocatingField {
  readonly kind: CallerKind;
  readonly field: 'email' | 'token';
}

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

const SECRET = /^(?:(em_live|ak_live|em_admin)_[0-9A-Za-z]{43}|(st_live)_[\w-]{43})$/;
const KINDS: Readonly<Record<string, CredentialKind>> = {
  em_live: 'api_key',
  ak_live: 'platform_key',
  em_admin: 'management_key',
  st_live: 'session',
};

const credentialIn = (secret: unknown): Credential | undefined => {
  if (typeof secret !== 'string') return undefined;
  const [, key, session] = SECRET.exec(secret) ?? [];
  const kind = KINDS[key ?? session ?? ''];
  return kind && { kind, secret };
};

/**
 * The credential that the route of a request reads; undefined if it has none that is well-formed.
 * @param session the session in the cookie.
 */
export const credentialOf = ({ url = '/', headers }: IncomingMessage, session: string | undefined) => {
  const hook = /^\/hooks\/deploy\/(dh_live_[\w-]{43})$/.exec(pathOf(url))?.[1];
  if (hook !== undefined) return { kind: 'deploy_hook', secret: hook } as const;
  const bearer = /^Bearer +(\S{1,512})$/i.exec(headers.authorization ?? '')?.[1];
  const apiKey = headers['api-key'];
  const readsBearer = /^\/(?:api|dashboard|mcp)\b/.test(url);
  const secrets = readsBearer
    ? [bearer, headers.authorization === undefined ? session : undefined, apiKey]
    : [apiKey, bearer];
  for (const secret of secrets) {
    const found = credentialIn(secret);
    if (found) return found;
  }
  return undefined;
};

const LOCATED_BY_BODY: Readonly<Record<string, LocatingField>> = {
  '/dashboard/api/session': { kind: 'email', field: 'email' },
  '/dashboard/api/password-reset': { kind: 'email', field: 'email' },
  '/dashboard/api/password-reset/confirm': { kind: 'password_reset', field: 'token' },
  '/dashboard/api/invitations/accept': { kind: 'invitation', field: 'token' },
};

/** The field of the body that tells the cell of a caller who has no credential yet. */
export const locatingFieldOf = ({ method, url = '/' }: IncomingMessage): LocatingField | undefined =>
  method === 'POST' ? LOCATED_BY_BODY[pathOf(url)] : undefined;

const READERS: Readonly<Record<string, (tokens: TrackingTokens, token: string) => unknown>> = {
  o: (tokens, token) => tokens.readOpenToken(token.replace(/\.gif$/, '')),
  c: (tokens, token) => tokens.readClickToken(token),
  u: (tokens, token) => tokens.readUnsubscribeToken(token),
  unsubscribe: (tokens, token) => tokens.readOptOutToken(token),
};

/** Tells whether a cell has signed the link of a request; undefined if the request is no link in a message. */
export const linkReaderOf = ({ url = '/' }: IncomingMessage): ((tokens: TrackingTokens) => boolean) | undefined => {
  const [, path = '', token = ''] = /^\/(o|c|u|unsubscribe)\/([\w.-]+)$/.exec(pathOf(url)) ?? [];
  const read = READERS[path];
  return read && (tokens => read(tokens, token) !== undefined);
};
