import { Refusal } from '@postern/contracts';
import { RemoteFault, runInContext, ServiceUnavailable } from '@postern/messaging';
import type { ServiceLog } from '@postern/service-host';
import type { FastifyRequest } from 'fastify';
import { CellUnreachable } from '../../service-client/ports.js';
import { requestContextOf } from '../server/request-context.js';
import { routeUrlOf } from '../server/route-url.js';
import { ERROR_CODE } from './error-code.js';
import { hintOf } from './hints.js';
import { OutcomeUnknown } from './outcome-unknown.js';
import { Problem } from './problem.js';
import { detailOf } from './refusal-detail.js';
import { headersOf, statusOf } from './refusal-status.js';
import { sentenceOf, withRetryTime } from './sentences.js';

const UNAVAILABLE_RETRY_AFTER_S = '2';

/** What an error response may name, and where its cause is logged. */
export interface ErrorSettings {
  readonly log: ServiceLog;
  readonly publicUrl: string;
}

/** The response to an error of a message or of another request; undefined for errors of the HTTP server. */
export function sendingProblem(exception: unknown, settings: ErrorSettings, request: FastifyRequest) {
  if (exception instanceof Problem) return exception;
  if (Refusal.is(exception)) return problemOfRefusal(exception, settings, request);
  if (exception instanceof OutcomeUnknown) return outcomeUnknown(exception, settings, request);
  if (exception instanceof ServiceUnavailable) {
    const headers = { 'retry-after': retryAfter(exception) };
    const where = exception instanceof CellUnreachable ? ` The cell ${exception.cell} cannot be reached.` : '';
    return new Problem(503, `Service temporarily unavailable.${where} Try again.`, headers);
  }
  return undefined;
}

/** The response to an error that no one expects, which is logged. */
export function internalError(exception: unknown, { log }: ErrorSettings, request: FastifyRequest): Problem {
  const route = `${request.method} ${routeUrlOf(request)}`;
  runInContext(requestContextOf(request), () =>
    log.error({ err: exception, route }, 'A request failed with an internal error'),
  );
  return new Problem(500, `Internal server error. Request id: ${request.id}.`);
}

/** The message of a response; that of a 429 says when to try again. */
export const messageOf = ({ status, message, headers }: Problem): string => {
  const seconds = Number(headers['retry-after']);
  return status === 429 && seconds > 0 ? withRetryTime(message, seconds, Date.now()) : message;
};

/** Seconds for `Retry-After`. */
export const retryAfter = (error: ServiceUnavailable | RemoteFault): string =>
  error instanceof RemoteFault || error.retryAfterS === undefined
    ? UNAVAILABLE_RETRY_AFTER_S
    : String(Math.max(1, Math.ceil(error.retryAfterS)));

function problemOfRefusal(refusal: Refusal, settings: ErrorSettings, request: FastifyRequest): Problem {
  const status = statusOf(refusal);
  if (status === undefined) return internalError(refusal, settings, request);
  const hint = hintOf(refusal, settings.publicUrl);
  const message = sentenceOf(refusal.message) + (hint ? ` ${hint}` : '');
  const headers = { ...headersOf(refusal, status), [ERROR_CODE]: refusal.code };
  return new Problem(status, message, headers, detailOf(refusal));
}

function outcomeUnknown({ emailId, cause }: OutcomeUnknown, { log }: ErrorSettings, request: FastifyRequest): Problem {
  runInContext(requestContextOf(request), () =>
    log.warn({ err: cause, emailId }, 'The outcome of an email is unknown'),
  );
  return new Problem(
    cause instanceof RemoteFault ? 500 : 503,
    `The outcome of this message is unknown; it may have been sent. Call GET /emails/${emailId} to find out: 404 ` +
      'means that it was not and will not be sent. Or repeat the same request, which returns the record of the ' +
      'message, or sends it if it was not sent, and never sends twice.',
    { 'email-id': emailId, [ERROR_CODE]: 'outcome_unknown', 'retry-after': UNAVAILABLE_RETRY_AFTER_S },
  );
}
