import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import { Refusal } from '@postern/contracts';
import { runInContext } from '@postern/messaging';
import type { ServiceLog } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OutcomeUnknown, ServiceFault, Services, ServiceUnavailable } from '../../../ports.js';
import { refuseStrangers } from '../api-key.js';
import { askerOf } from '../server/asker.js';
import type { RouteTable } from '../server/route-table.js';
import { errorShape } from './error-shape.js';
import { Problem } from './problem.js';
import { detailOf } from './refusal-detail.js';
import { headersOf, statusOf } from './refusal-status.js';

const UNAVAILABLE_RETRY_AFTER_S = '2';

/** Turns whatever a request ends with into status, headers and the error shape of its path. */
@Catch()
export class HttpErrorsFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    private readonly services: Services,
    private readonly log: ServiceLog,
  ) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    const problem = await this.problemOf(exception, request);
    reply.code(problem.status).headers(problem.headers);
    if (problem.status === 204) reply.send();
    else reply.send(errorShape(request.url, problem.message, problem.detail));
  }

  private async problemOf(exception: unknown, request: FastifyRequest): Promise<Problem> {
    if (exception instanceof Problem) return exception;
    if (Refusal.is(exception)) return this.refusal(exception, request);
    if (exception instanceof OutcomeUnknown) return this.unknown(exception, request);
    if (exception instanceof ServiceUnavailable) {
      return new Problem(503, 'The service is unavailable for a moment; try again.', {
        'retry-after': retryAfter(exception),
      });
    }
    if (exception instanceof NotFoundException) return this.unrouted(request);
    if (exception instanceof HttpException) return this.ofTheFramework(exception, request);
    return this.bug(exception, request);
  }

  private refusal(refusal: Refusal, request: FastifyRequest): Problem {
    const status = statusOf(refusal);
    if (status === undefined) return this.bug(refusal, request);
    return new Problem(status, refusal.message, headersOf(refusal, status), detailOf(refusal));
  }

  /** Nobody may take this for a message that was not sent. */
  private unknown({ emailId, cause }: OutcomeUnknown, request: FastifyRequest): Problem {
    runInContext(askerOf(request), () => this.log.warn({ err: cause, emailId }, 'The outcome of an email is unknown'));
    return new Problem(
      cause instanceof ServiceFault ? 500 : 503,
      `The outcome of this message is unknown: it may have been sent. GET /emails/${emailId} tells what became of it; ` +
        'the same request again gets its record and sends nothing twice.',
      { 'email-id': emailId, 'error-code': 'outcome_unknown', 'retry-after': UNAVAILABLE_RETRY_AFTER_S },
    );
  }

  private unrouted(request: FastifyRequest): Problem {
    const methods = this.routes.methodsOf(request.url);
    const allow = methods.join(', ');
    if (methods.length > 0 && request.method === 'OPTIONS') return new Problem(204, '', { allow });
    // A route that has the method and still finds nothing has looked for a thing, not for a route.
    if (methods.length === 0 || methods.includes(request.method))
      return new Problem(404, 'There is nothing at this address.');
    return new Problem(405, `${request.method} is not possible here; ${allow} are.`, { allow });
  }

  /** What Fastify refuses by itself; a body that is too large was never read, so its sender is not yet known. */
  private async ofTheFramework(exception: HttpException, request: FastifyRequest): Promise<Problem> {
    const status = exception.getStatus();
    if (status !== 413) return new Problem(status, exception.message);
    if (request.routeOptions.url === '/emails') {
      try {
        await refuseStrangers(this.services, request);
      } catch (refused) {
        return this.problemOf(refused, request);
      }
    }
    return new Problem(413, 'The body is larger than 10 MiB.', { connection: 'close' });
  }

  private bug(exception: unknown, request: FastifyRequest): Problem {
    const route = `${request.method} ${request.routeOptions.url ?? '(none)'}`;
    runInContext(askerOf(request), () => this.log.error({ err: exception, route }, 'A request met a bug'));
    return new Problem(500, `Something went wrong on our side. Request id: ${request.id}.`);
  }
}

const retryAfter = ({ retryAfterS }: ServiceUnavailable): string =>
  retryAfterS === undefined ? UNAVAILABLE_RETRY_AFTER_S : String(Math.max(1, Math.ceil(retryAfterS)));
