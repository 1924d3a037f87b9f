import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../errors/problem.js';
import { sessionOf } from './session.js';

/** Admits only operators, who may act in any workspace. Runs after `SessionGuard`. */
@Injectable()
export class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (sessionOf(context.switchToHttp().getRequest<FastifyRequest>()).operator) return true;
    throw new Problem(403, 'Only operators can do this.');
  }
}
