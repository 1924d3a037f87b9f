import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { RemoteFault, runInContext, ServiceUnavailable } from '@postern/messaging';
import type { ServiceLog } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CommandOutcomeUnknown } from '../errors/command-outcome-unknown.js';
import { ERROR_CODE } from '../errors/error-code.js';
import { errorShape } from '../errors/error-shape.js';
import { hintForPath, hintOf } from '../errors/hints.js';
import { OutcomeUnknown } from '../errors/outcome-unknown.js';
import { Problem } from '../errors/problem.js';
import { detailOf } from '../errors/refusal-detail.js';
import { headersOf, statusOf } from '../errors/refusal-status.js';
import { sentenceOf, withRetryTime } from '../errors/sentences.js';
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
const UNAVAILABLE_RETRY_AFTER_S = '2';

/** Responds to every error with its status, its headers and the error shape of the path. */
@Catch()
export class HttpErrorsFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    private readonly log: ServiceLog,
    private readonly publicUrl: string,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    const problem = this.#problemOf(exception, request);
    reply.code(problem.status).headers(problem.headers);
    if (problem.status === 204) reply.send();
    else if (problem.headers[ERROR_CODE] === 'route_not_found' && isBrowser(request))
      reply
        .headers({ [ERROR_CODE]: problem.code, 'content-security-policy': PAGE_POLICY })
        .type('text/html; charset=utf-8')
        .send(NO_PAGE);
    else reply.header(ERROR_CODE, problem.code).send(errorShape(request.url, messageOf(problem), problem.detail));
  }

  #problemOf(exception: unknown, request: FastifyRequest): Problem {
    if (exception instanceof Problem) return exception;
    if (Refusal.is(exception)) return this.#refusal(exception, request);
    if (exception instanceof OutcomeUnknown) return this.#outcomeUnknown(exception, request);
    if (exception instanceof CommandOutcomeUnknown) return this.#commandOutcomeUnknown(exception, request);
    if (exception instanceof ServiceUnavailable) {
      return new Problem(503, 'Service temporarily unavailable. Try again.', {
        'retry-after': retryAfter(exception),
      });
    }
    if (exception instanceof NotFoundException) return this.#notFound(request);
    if (exception instanceof HttpException) return new Problem(exception.getStatus(), exception.message);
    return this.#bug(exception, request);
  }

  #refusal(refusal: Refusal, request: FastifyRequest): Problem {
    const status = statusOf(refusal);
    if (status === undefined) return this.#bug(refusal, request);
    const hint = hintOf(refusal, this.publicUrl);
    const message = sentenceOf(refusal.message) + (hint ? ` ${hint}` : '');
    const headers = { ...headersOf(refusal, status), [ERROR_CODE]: refusal.code };
    return new Problem(status, message, headers, detailOf(refusal));
  }

  #outcomeUnknown({ emailId, cause }: OutcomeUnknown, request: FastifyRequest): Problem {
    runInContext(requestContextOf(request), () =>
      this.log.warn({ err: cause, emailId }, 'The outcome of an email is unknown'),
    );
    return new Problem(
      cause instanceof RemoteFault ? 500 : 503,
      `The outcome of this message is unknown; it may have been sent. Call GET /emails/${emailId} to find out: 404 ` +
        'means that it was not and will not be sent. Or repeat the same request, which returns the record of the ' +
        'message, or sends it if it was not sent, and never sends twice.',
      { 'email-id': emailId, [ERROR_CODE]: 'outcome_unknown', 'retry-after': UNAVAILABLE_RETRY_AFTER_S },
    );
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

  #bug(exception: unknown, request: FastifyRequest): Problem {
    const route = `${request.method} ${routeUrlOf(request)}`;
    runInContext(requestContextOf(request), () =>
      this.log.error({ err: exception, route }, 'A request failed with an internal error'),
    );
    return new Problem(500, `Internal server error. Request id: ${request.id}.`);
  }
}

/** Whether a person opened the address in a browser; programs accept JSON or anything. */
const isBrowser = ({ method, headers, url }: FastifyRequest): boolean =>
  method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && !/^\/(dashboard\/)?api\//.test(url);

const messageOf = ({ status, message, headers }: Problem): string => {
  const seconds = Number(headers['retry-after']);
  return status === 429 && seconds > 0 ? withRetryTime(message, seconds, Date.now()) : message;
};

const retryAfter = (error: ServiceUnavailable | RemoteFault): string =>
  error instanceof RemoteFault || error.retryAfterS === undefined
    ? UNAVAILABLE_RETRY_AFTER_S
    : String(Math.max(1, Math.ceil(error.retryAfterS)));

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
