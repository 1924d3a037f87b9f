import type { FastifyRequest } from 'fastify';

/** A property of the request: Fastify builds `routeOptions` on every access. */
const ROUTE_URL = Symbol('route URL');

/** The route's URL pattern with parameter names instead of values; `(none)` for an unknown route. */
export const routeUrlOf = (request: FastifyRequest & { [ROUTE_URL]?: string }): string =>
  (request[ROUTE_URL] ??= request.routeOptions.url ?? NO_ROUTE);

export const NO_ROUTE = '(none)';
