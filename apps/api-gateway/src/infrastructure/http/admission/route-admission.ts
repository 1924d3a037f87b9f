import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { ReadAtAdmission, RouteAccess, RouteAdmission } from '@postern/contracts';
import type { FastifyRequest } from 'fastify';

/**
 * Who may call a route of the gateway: `api-key` is a key of the email API, `deploy-hook` the token of a deploy hook in
 * the URL.
 */
export type GatewayAccess = RouteAccess | 'api-key' | 'deploy-hook';
export interface GatewayAdmission extends RouteAdmission<GatewayAccess> {
  /** Whether the response has no end, so that it does not count as an open request of the caller. */
  readonly isEndless?: boolean;
  /** Whether clients repeat it every few seconds, so that the log of requests has only its errors. */
  readonly isPolled?: boolean;
  /** Whether platform keys need the scope write; by default, for all methods but GET and HEAD. */
  readonly writes?: boolean;
  /** Whether the handler reads the body as it arrives, so that it is not held in memory. */
  readonly isStreamed?: boolean;
  /** Whether the route is served at the tracking hosts of sending domains too. */
  readonly atTrackingHosts?: boolean;
  /** The read of a call, for a route with `withAdmission`; undefined for an invalid call. */
  readonly readOf?: (request: FastifyRequest) => ReadAtAdmission | undefined;
}

/** The admission in the metadata of a handler, for the documentation. */
export const ADMISSION = 'postern:admission';

/** Declares who may call a route, its maximum body size, and the budget of a call; required for every route. */
export const Admits = (admission: GatewayAdmission) =>
  applyDecorators(RouteConfig({ admission }), SetMetadata(ADMISSION, admission));

/** A page, file or link without authentication and without a body. */
export const AdmitsAnyone = (budget: 'client' | 'client-frequent' = 'client') =>
  Admits({ access: 'anyone', maxBodyBytes: 0, budget });

/** A link in messages, which tracking hosts serve too. */
export const AdmitsRecipients = (maxBodyBytes = 0) =>
  Admits({ access: 'anyone', maxBodyBytes, budget: 'client-frequent', atTrackingHosts: true });

/** The admission in the configuration of a route, if it declares one. */
export const declaredAdmission = (config: unknown): GatewayAdmission | undefined =>
  typeof config === 'object' && config !== null && 'admission' in config
    ? (config.admission as GatewayAdmission)
    : undefined;

/** A property of the request: Fastify builds `routeOptions` on every access. */
const OF_REQUEST = Symbol('admission');

/** The admission of a request's route. @throws if there is no route, or it declares none. */
export const admissionOfRequest = (request: FastifyRequest & { [OF_REQUEST]?: GatewayAdmission }): GatewayAdmission => {
  const known = request[OF_REQUEST];
  if (known) return known;
  const { config, url } = request.routeOptions;
  const admission = declaredAdmission(config);
  if (!admission) throw new Error(`The route ${url ?? '(none)'} declares no admission`);
  request[OF_REQUEST] = admission;
  return admission;
};
