import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../errors/problem.js';
import { sessionOf } from './session.js';

/** Lets only operators through, who may act in any workspace. Comes after `SessionGuard`. */
@Injectable()
export class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (sessionOf(context.switchToHttp().getRequest<FastifyRequest>()).operator) return true;
    throw new Problem(403, 'Only an operator may do this.');
  }
}
