import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { LoginFailures } from './login-failures.js';
import { LoginGuard } from './login-guard.js';

/** Limits of failed logins, without a lockout of users or networks. */
@Module({
  imports: [prisma],
  providers: [LoginGuard, LoginFailures],
  exports: [LoginGuard, LoginFailures],
})
export class LoginLimitsModule {}
