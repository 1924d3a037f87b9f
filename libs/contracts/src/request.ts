import type { z } from 'zod';
import type { HttpRoute, RouteAccess } from './http-route.js';
import type { NatsUser, ServiceName } from './service-name.js';

/** The HTTP status of a refusal code, the same in every contract that declares the code. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 429 | 503;

/** One request that a service handles over NATS: its subject, shapes, refusals and deadline. */
export interface RequestContract<
  Request extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
  Code extends string = string,
> {
  readonly service: ServiceName;
  readonly name: string;
  readonly subject: string;
  readonly request: Request;
  readonly reply: Reply;
  /** Every code that the service may refuse with, and its HTTP status. */
  readonly refusals: Readonly<Record<Code, RefusalStatus>>;
  /** The routes by which HTTP clients reach the request; none if only other services send it. */
  readonly http: readonly HttpRoute[];
  /** The users that may send the request; NATS refuses it from all others. */
  readonly callers: readonly NatsUser[];
  /** Milliseconds after which the caller treats the service as unavailable. */
  readonly deadlineMs: number;
  /** Whether a caller may leave it in the queue of the service, which then handles it at least once, without a reply. */
  readonly queued: boolean;
}

/** How a service refuses a repeated command; see `Idempotency-Key`. */
export const REPEAT_REFUSALS = {
  idempotency_key_reused: 409,
  idempotency_key_in_flight: 409,
  idempotency_answer_lost: 409,
} as const satisfies Readonly<Record<string, RefusalStatus>>;

/** Whether HTTP clients may repeat calls of the route with an `Idempotency-Key`: commands of authenticated callers. */
export const isRepeatable = ({ method }: Pick<HttpRoute, 'method'>, access: RouteAccess): boolean =>
  method !== 'GET' && access !== 'anyone';

const GATEWAY: readonly NatsUser[] = ['api-gateway'];

type FieldOf<Request extends z.ZodType> = Extract<keyof z.output<Request>, string>;

export type RequestOf<C extends RequestContract> = z.output<C['request']>;
export type RequestInput<C extends RequestContract> = z.input<C['request']>;
export type ReplyOf<C extends RequestContract> = z.output<C['reply']>;

/** Whether an export of this library is a request contract. */
export const isRequestContract = (value: unknown): value is RequestContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'request' in value;

/**
 * Requests of one service; the subject of each is `postern.requests.<service>.<name>`. The gateway may send those with a
 * route, and `callers` every one.
 */
export const requestsOf =
  (service: ServiceName, callers: readonly NatsUser[] = []) =>
  <Request extends z.ZodType, Reply extends z.ZodType, const Code extends string = never>(
    name: string,
    shape: {
      request: Request;
      reply: Reply;
      refusals?: Readonly<Record<Code, RefusalStatus>>;
      http?: HttpRoute<FieldOf<Request>> | readonly HttpRoute<FieldOf<Request>>[];
      /** Users that may send it, besides the gateway, which may if there is a route. */
      callers?: readonly NatsUser[];
      deadlineMs?: number;
      /** Only for requests that may be repeated. */
      queued?: boolean;
    },
  ): RequestContract<Request, Reply, Code> => {
    const http = [shape.http ?? []].flat();
    return {
      service,
      name,
      subject: `postern.requests.${service}.${name}`,
      request: shape.request,
      reply: shape.reply,
      refusals: refusalsOf(http, shape.refusals ?? ({} as Readonly<Record<Code, RefusalStatus>>)),
      http,
      callers: [...new Set([...callers, ...(shape.callers ?? []), ...(http.length > 0 ? GATEWAY : [])])],
      deadlineMs: shape.deadlineMs ?? 5_000,
      queued: shape.queued ?? false,
    };
  };

const refusalsOf = <Code extends string>(
  http: readonly HttpRoute[],
  own: Readonly<Record<Code, RefusalStatus>>,
): Readonly<Record<Code, RefusalStatus>> =>
  http.some(route => [route.access].flat().some(access => isRepeatable(route, access)))
    ? { ...own, ...REPEAT_REFUSALS }
    : own;
