import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type AuditRecord, Refusal } from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { findCaller } from '../access/caller.js';
import { CommandOutcomeUnknown } from '../errors/command-outcome-unknown.js';
import { Problem } from '../errors/problem.js';
import { isReplayed } from '../idempotency/request-key.js';
import { requestContextOf } from '../server/request-context.js';
import { attemptOf, withCreatedResource } from './audit-entry.js';
import { AuditRecorder } from './audit-recorder.js';
import { auditedRouteOf } from './audited-routes.js';

/** The code of a repeated answer: the action itself has an entry of its own. */
const REPLAY = 'idempotent_replay';

/** Runs after the guards: stores that a call starts, and its outcome before the response is sent. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly recorder: AuditRecorder) {}

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const route = auditedRouteOf(request);
    if (!route) return next.handle();
    const attempt = attemptOf(request, route);
    // A login without an address is a malformed request.
    if (route.isLogin && attempt.login === undefined) return next.handle();
    const context = findCaller(request) ?? requestContextOf(request);
    markAudited(request);
    await this.recorder.begin(attempt, context);
    try {
      const answer: unknown = await lastValueFrom(next.handle());
      const entry = withCreatedResource(attempt, route, answer);
      const code = isReplayed(execution.switchToHttp().getResponse<FastifyReply>()) ? REPLAY : null;
      await this.recorder.complete({ ...entry, outcome: 'succeeded', code }, context);
      return of(answer);
    } catch (error) {
      await this.recorder.complete({ ...attempt, ...outcomeOf(error) }, context);
      throw error;
    }
  }
}

const audited = new WeakSet<FastifyRequest>();
const markAudited = (request: FastifyRequest): void => void audited.add(request);

/** Whether the interceptor has stored the call; a guard may have refused it before. */
export const isAudited = (request: FastifyRequest): boolean => audited.has(request);

/** A request that timed out may have been executed, so its entry stays `attempted`. */
const outcomeOf = (error: unknown): Pick<AuditRecord, 'outcome' | 'code'> => {
  if (Refusal.is(error)) return { outcome: 'refused', code: error.code };
  if (error instanceof Problem) return { outcome: 'refused', code: error.code };
  if (error instanceof CommandOutcomeUnknown) return { outcome: 'attempted', code: 'outcome_unknown' };
  if (error instanceof ServiceUnavailable) {
    return { outcome: error.maybeExecuted ? 'attempted' : 'failed', code: 'service_unavailable' };
  }
  return { outcome: 'failed', code: 'internal_error' };
};
