import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

const NAME = 'postern_session';

export interface PublicOrigin {
  readonly origin: string;
  readonly secure: boolean;
}

export const publicOriginOf = (publicUrl: string): PublicOrigin => {
  const { origin, protocol } = new URL(publicUrl);
  return { origin, secure: protocol === 'https:' };
};

export const sessionCookie = (token: string, expiresAt: string, secure: boolean): string =>
  stringifySetCookie({ name: NAME, value: token, ...attributes(secure), expires: new Date(expiresAt) });

export const expiredSessionCookie = (secure: boolean): string =>
  stringifySetCookie({ name: NAME, value: '', ...attributes(secure), expires: new Date(0) });

const attributes = (secure: boolean) => ({ path: '/dashboard', httpOnly: true, sameSite: 'strict', secure }) as const;

const DEVICE = 'postern_device';
const LONGEST_DEVICE_TOKEN = 1024;
const DEVICE_LIFETIME_S = 180 * 24 * 3_600;

/** Tells the login that a browser has logged in to the account before; sent with nothing else. */
export const deviceCookie = (token: string, secure: boolean): string =>
  stringifySetCookie({
    name: DEVICE,
    value: token,
    ...attributes(secure),
    path: '/dashboard/api/session',
    maxAge: DEVICE_LIFETIME_S,
  });

export const deviceFromCookie = (request: FastifyRequest): string | undefined => {
  const token = cookieOf(request, DEVICE);
  return token !== undefined && token.length <= LONGEST_DEVICE_TOKEN ? token : undefined;
};

export const tokenFromCookie = (request: Pick<FastifyRequest, 'headers'>): string | undefined =>
  cookieOf(request, NAME);

const cookieOf = (request: Pick<FastifyRequest, 'headers'>, name: string): string | undefined => {
  const header = request.headers.cookie;
  return header === undefined ? undefined : parseCookie(header)[name] || undefined;
};

/**
 * Whether a request comes from our own pages; a page cannot set `Sec-Fetch-Site` or `Origin`. An Origin that equals the
 * Host header is accepted, because a gateway may have several names.
 */
export const isSameOrigin = (request: FastifyRequest, publicOrigin: string): boolean => {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = request.headers.origin;
  if (origin === undefined) return false;
  if (origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === request.headers.host;
};
