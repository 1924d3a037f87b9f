import {
  applyDecorators,
  Body,
  Controller,
  HttpCode,
  Inject,
  Param,
  Query,
  Req,
  RequestMapping,
  RequestMethod,
  Res,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import {
  admissionOf,
  BASE_PATHS,
  type HttpRoute,
  isRepeatable,
  type ReadAtAdmission,
  type RequestContract,
  type RouteAccess,
} from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { admittedReadOf } from '../infrastructure/http/access/admitted-read.js';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { hasControlCharacters } from '../infrastructure/http/admission/request-head.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { repeatable } from '../infrastructure/http/idempotency/repeatable.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient, type ServiceContext } from '../infrastructure/service-client/ports.js';
import type { CheckRequest } from './checked-service.js';
import type { CompleteReply } from './complete-reply.js';
import { describeRoute } from './route-description.js';
import { type RouteInput, routeInputOf } from './route-input.js';

/** Creates a Nest controller for the route that `route` declares, for one kind of caller. */
export const contractController = (
  contract: RequestContract,
  route: HttpRoute,
  access: RouteAccess,
  complete?: CompleteReply,
  check?: CheckRequest,
): Type => {
  const routeInput = routeInputOf(contract, route);
  const { path, toRequest } = routeInput;
  const withRead = route.withAdmission && access === 'platform-key';

  @Controller(BASE_PATHS[access])
  class RouteController {
    constructor(
      private readonly services: ServiceClient,
      @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'publicUrl'>,
    ) {}

    @RequestMapping({ method: RequestMethod[route.method], path: route.path.replace(/\{(\w+)\}/g, ':$1') })
    @HttpCode(route.status ?? 200)
    @Admits({ ...admissionOf(route, access), ...(withRead ? { readOf: readOf(contract, routeInput) } : {}) })
    @(route.method === 'GET' ? applyDecorators() : UseInterceptors(AuditInterceptor))
    @describeRoute(contract, route, access)
    async handle(
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) response: FastifyReply,
      @(path ? Param({ schema: path }) : undecorated) parameters: object = {},
      @inputParameter(routeInput) input: object = {},
    ): Promise<unknown> {
      const caller = access === 'anyone' ? unknownCallerOf(request) : callerOf(request);
      const sent = toRequest(caller, parameters, input);
      if (!isRepeatable(route, access)) return this.#answer(request, response, sent, caller);
      return repeatable(request, response, repetition =>
        this.#answer(request, response, sent, { ...caller, ...repetition }),
      );
    }

    async #answer(
      request: FastifyRequest,
      response: FastifyReply,
      sent: Record<string, unknown>,
      context: ServiceContext,
    ): Promise<unknown> {
      if (check) await check(this.services, sent, withoutKey(context));
      const read = admittedReadOf(request);
      const reply = read ? read.reply : await this.services.request(contract, sent, context);
      const answer = complete ? await this.#completed(complete, reply, sent, context) : reply;
      if (route.urlField) return withUrl(route.urlField, answer, this.config.publicUrl);
      return route.upsert ? upserted(route.upsert.resource, answer, response) : answer;
    }

    async #completed(
      complete: CompleteReply,
      reply: unknown,
      sent: Record<string, unknown>,
      context: ServiceContext,
    ): Promise<unknown> {
      try {
        return await complete(this.services, reply, sent, withoutKey(context));
      } catch (error) {
        if (route.method === 'GET' || !(error instanceof ServiceUnavailable)) throw error;
        throw new ServiceUnavailable(error.subject, error.reason, true, error.retryAfterS);
      }
    }
  }
  Object.defineProperty(RouteController, 'name', { value: `${route.operation} (${access})` });
  return RouteController;
};

/** The key belongs to the command, not to the reads that check it and complete its reply. */
const withoutKey = ({ key: _key, onReplayed: _onReplayed, ...context }: ServiceContext): ServiceContext => context;

/** Nest passes undefined for a parameter without a decorator. */
const undecorated: ParameterDecorator = () => undefined;

const inputParameter = ({ query, body }: RouteInput): ParameterDecorator => {
  if (query) return Query({ schema: query });
  return body ? Body({ schema: body }) : undecorated;
};

/** The read of a call, the same request that its handler would send; undefined for an invalid call. */
const readOf =
  ({ name }: RequestContract, { path, query, toRequest }: RouteInput) =>
  (request: FastifyRequest): ReadAtAdmission | undefined => {
    if (hasControlCharacters(request)) return undefined;
    const parameters = valuesOf(path, request.params);
    const input = valuesOf(query, request.query);
    return parameters && input && { name, request: toRequest({}, parameters, input) };
  };

const valuesOf = (shape: z.ZodType | undefined, values: unknown): object | undefined =>
  shape ? (shape.safeParse(values).data as object | undefined) : {};

/** The caller of a route without authentication. */
const unknownCallerOf = (request: FastifyRequest) => ({
  ...requestContextOf(request),
  clientAddress: clientAddressOf(request),
});

const withUrl = (field: string, answer: unknown, publicUrl: string): unknown => {
  const values = answer as Record<string, unknown>;
  return { ...values, [field]: new URL(String(values[field]), publicUrl).href };
};

const upserted = (resource: string, answer: unknown, reply: FastifyReply): unknown => {
  const { [resource]: value, created } = answer as Record<string, unknown>;
  reply.code(created ? 201 : 200);
  return value;
};
