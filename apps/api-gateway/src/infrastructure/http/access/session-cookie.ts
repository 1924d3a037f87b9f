import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

const LONGEST_DEVICE_TOKEN = 1024;
const DEVICE_LIFETIME_S = 180 * 24 * 3_600;

type Headers = Pick<FastifyRequest, 'headers'>;

/**
 * The cookies of the dashboard. If the public URL is https they have the prefix `__Host-`, so that no other host, such
 * as a web service on a subdomain, can set them; browsers require `Secure` and the path `/` for this prefix.
 */
export class SessionCookies {
  readonly #secure: boolean;

  constructor(publicUrl: string) {
    this.#secure = new URL(publicUrl).protocol === 'https:';
  }

  get sessionName(): string {
    return this.#named('postern_session');
  }

  session(token: string, expiresAt: string): string {
    return this.#sessionUntil(token, new Date(expiresAt));
  }

  /** Removes the session cookie. */
  endedSession(): string {
    return this.#sessionUntil('', new Date(0));
  }

  /** Indicates at sign-in that the browser has signed in to the account before. */
  device(token: string): string {
    const attributes = { ...this.#attributes('/dashboard/api/session'), maxAge: DEVICE_LIFETIME_S };
    return stringifySetCookie({ name: this.#deviceName, value: token, ...attributes });
  }

  sessionOf(request: Headers): string | undefined {
    return cookieOf(request, this.sessionName);
  }

  deviceOf(request: Headers): string | undefined {
    const token = cookieOf(request, this.#deviceName);
    return token !== undefined && token.length <= LONGEST_DEVICE_TOKEN ? token : undefined;
  }

  get #deviceName(): string {
    return this.#named('postern_device');
  }

  #sessionUntil(value: string, expires: Date): string {
    return stringifySetCookie({ name: this.sessionName, value, ...this.#attributes('/dashboard'), expires });
  }

  #named(name: string): string {
    return this.#secure ? `__Host-${name}` : name;
  }

  /** @param path the cookie path if the name has no prefix. */
  #attributes(path: string) {
    const secure = this.#secure;
    return { path: secure ? '/' : path, httpOnly: true, sameSite: 'strict', secure } as const;
  }
}

const cookieOf = ({ headers }: Headers, name: string): string | undefined =>
  headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name] || undefined;

/**
 * Whether a request comes from a page of the dashboard; a page cannot set `Sec-Fetch-Site` or `Origin`. An Origin that
 * equals the Host header is accepted, because a gateway may have several names.
 */
export const isSameOrigin = (request: FastifyRequest, publicOrigin: string): boolean => {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = request.headers.origin;
  if (origin === undefined) return false;
  if (origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === request.headers.host;
};
