import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import { RemoteFault, runInContext } from '@postern/messaging';
import type { ServiceLog } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CommandOutcomeUnknown } from '../errors/command-outcome-unknown.js';
import { ERROR_CODE } from '../errors/error-code.js';
import { errorShape } from '../errors/error-shape.js';
import { hintForPath } from '../errors/hints.js';
import { Problem } from '../errors/problem.js';
import { internalError, messageOf, retryAfter, sendingProblem } from '../errors/sending-problem.js';
import { messagePage } from './message-page.js';
import { requestContextOf } from './request-context.js';
import { PAGE_POLICY } from './response-headers.js';
import type { RouteTable } from './route-table.js';
import { routeUrlOf } from './route-url.js';

const NO_PAGE = messagePage(
  'There is no such page',
  'Go to the <a href="/dashboard">dashboard</a> or to the <a href="/docs">documentation</a>.',
);
const ANY_OF = new Intl.ListFormat('en', { type: 'disjunction' });

/** Responds to every error with its status, its headers and the error shape of the path. */
@Catch()
export class HttpErrorsFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    readonly log: ServiceLog,
    readonly publicUrl: string,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    const problem = this.#problemOf(exception, request);
    reply.code(problem.status).headers(problem.headers);
    if (problem.status === 204) reply.send();
    else if (problem.status === 404 && isBrowser(request) && isForPeople(problem, request))
      reply
        .headers({ [ERROR_CODE]: problem.code, 'content-security-policy': PAGE_POLICY })
        .type('text/html; charset=utf-8')
        .send(NO_PAGE);
    else reply.header(ERROR_CODE, problem.code).send(errorShape(request.url, messageOf(problem), problem.detail));
  }

  #problemOf(exception: unknown, request: FastifyRequest): Problem {
    const known = sendingProblem(exception, this, request);
    if (known) return known;
    if (exception instanceof CommandOutcomeUnknown) return this.#commandOutcomeUnknown(exception, request);
    if (exception instanceof NotFoundException) return this.#notFound(request);
    if (exception instanceof HttpException) return new Problem(exception.getStatus(), exception.message);
    return internalError(exception, this, request);
  }

  #commandOutcomeUnknown({ cause, isKeyed }: CommandOutcomeUnknown, request: FastifyRequest): Problem {
    const route = `${request.method} ${routeUrlOf(request)}`;
    runInContext(requestContextOf(request), () =>
      this.log.warn({ err: cause, route }, 'The outcome of a command is unknown'),
    );
    const remedy = isKeyed
      ? 'Repeat it with the same Idempotency-Key, which never carries it out twice.'
      : `Before you repeat it, look whether it was: GET ${readablePathOf(request, this.routes)}. With the header ` +
        'Idempotency-Key, a repetition is safe.';
    return new Problem(
      cause instanceof RemoteFault ? 500 : 503,
      `The outcome of this request is unknown; it may have been carried out. ${remedy}`,
      { [ERROR_CODE]: 'outcome_unknown', 'retry-after': retryAfter(cause) },
    );
  }

  #notFound(request: FastifyRequest): Problem {
    const methods = this.routes.methodsOf(request.url);
    const allow = methods.join(', ');
    if (methods.length === 0) {
      const hint = hintForPath(pathOf(request));
      const message = `Not found: no route ${request.method} ${pathOf(request)}.${hint ? ` ${hint}` : ''}`;
      return new Problem(404, message, { [ERROR_CODE]: 'route_not_found' });
    }
    if (request.method === 'OPTIONS') return new Problem(204, '', { allow });
    if (methods.includes(request.method)) return new Problem(404, 'Not found.');
    const useful = methods.filter(method => method !== 'HEAD' && method !== 'OPTIONS');
    return new Problem(405, `Method not allowed. Use ${ANY_OF.format(useful)}.`, { allow });
  }
}

/** Whether a person opened the address in a browser; programs accept JSON or anything. */
const isBrowser = ({ method, headers, url }: FastifyRequest): boolean =>
  method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(dashboard\/)?api\//.test(url);

/** Whether the answer is not that of an API: the address leads nowhere, or is below those of pages. */
const isForPeople = ({ headers }: Problem, { url }: FastifyRequest): boolean =>
  headers[ERROR_CODE] === 'route_not_found' || /^\/(docs|dashboard)\//.test(url);

/** The nearest path that can be read: the list of what a call creates, or the resource that it changes. */
const readablePathOf = (request: FastifyRequest, routes: RouteTable): string => {
  const parts = pathOf(request).split('/');
  for (let length = parts.length; length > 1; length--) {
    const path = parts.slice(0, length).join('/');
    if (routes.methodsOf(path).includes('GET')) return path;
  }
  return pathOf(request);
};

/** Truncated and without the query, which may contain tokens. */
const pathOf = ({ url }: FastifyRequest): string => (url.split(/[?#]/, 1)[0] ?? url).slice(0, 200);
