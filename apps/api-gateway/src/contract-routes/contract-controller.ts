import {
  Body,
  Controller,
  HttpCode,
  Inject,
  Injectable,
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
  type ReadAtAdmission,
  type RequestContract,
  type RouteAccess,
} from '@postern/contracts';
import { CONFIG } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { GatewayConfig } from '../config.js';
import { admittedReadOf } from '../infrastructure/http/access/admitted-read.js';
import { callerOf } from '../infrastructure/http/access/caller.js';
import { hasControlCharacters } from '../infrastructure/http/admission/request-head.js';
import { Admits } from '../infrastructure/http/admission/route-admission.js';
import { AuditInterceptor } from '../infrastructure/http/audit/audit.interceptor.js';
import { clientAddressOf } from '../infrastructure/http/server/client-address.js';
import { requestContextOf } from '../infrastructure/http/server/request-context.js';
import { ServiceClient } from '../service-client/ports.js';
import type { CompleteReply } from './complete-reply.js';
import { describeRoute } from './route-description.js';
import { type RouteInput, routeInputOf } from './route-input.js';

type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
  path: object | undefined,
  input: object | undefined,
) => Promise<unknown>;

@Injectable()
abstract class ContractController {
  constructor(
    protected readonly services: ServiceClient,
    @Inject(CONFIG) protected readonly config: Pick<GatewayConfig, 'publicUrl'>,
  ) {}

  abstract handle: Handler;
}

/** Creates a Nest controller for the route that `route` declares, for one kind of caller. */
export const contractController = (
  contract: RequestContract,
  route: HttpRoute,
  access: RouteAccess,
  complete?: CompleteReply,
): Type => {
  const routeInput = routeInputOf(contract, route);
  const { path, query, body, toRequest } = routeInput;

  class RouteController extends ContractController {
    declare handle: Handler;
  }
  Object.defineProperty(RouteController, 'name', { value: `${route.operation} (${access})` });
  const prototype: object = RouteController.prototype;
  const handle = async function (
    this: ContractController,
    ...[request, response, parameters = {}, input = {}]: Parameters<Handler>
  ) {
    const caller = access === 'anyone' ? unknownCallerOf(request) : callerOf(request);
    const sent = toRequest(caller, parameters, input);
    const read = admittedReadOf(request);
    const reply = read ? read.reply : await this['services'].request(contract, sent, caller);
    const answer = complete ? await complete(this['services'], reply, sent, caller) : reply;
    if (route.urlField) return withUrl(route.urlField, answer, this['config'].publicUrl);
    return route.upsert ? upserted(route.upsert.resource, answer, response) : answer;
  };
  const descriptor = { value: handle, writable: true, enumerable: false, configurable: true };
  Object.defineProperty(prototype, 'handle', descriptor);

  Controller(BASE_PATHS[access])(RouteController);
  for (const decorate of [
    RequestMapping({ method: RequestMethod[route.method], path: route.path.replace(/\{(\w+)\}/g, ':$1') }),
    HttpCode(route.status ?? 200),
    Admits({
      ...admissionOf(route, access),
      ...(route.withAdmission && access === 'platform-key' ? { readOf: readOf(contract, routeInput) } : {}),
    }),
    ...(route.method === 'GET' ? [] : [UseInterceptors(AuditInterceptor)]),
    describeRoute(contract, route, access),
  ]) {
    decorate(prototype, 'handle', descriptor);
  }
  Req()(prototype, 'handle', 0);
  Res({ passthrough: true })(prototype, 'handle', 1);
  if (path) Param({ schema: path })(prototype, 'handle', 2);
  if (query) Query({ schema: query })(prototype, 'handle', 3);
  if (body) Body({ schema: body })(prototype, 'handle', 3);
  return RouteController;
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
