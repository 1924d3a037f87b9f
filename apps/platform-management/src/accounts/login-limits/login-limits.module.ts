import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { CountingLoginGuard } from './counting-login-guard.js';
import { LoginFailures, LoginGuard } from './ports.js';
import { PostgresLoginFailures } from './postgres-login-failures.js';

/** Limits of failed logins, without a lockout of users or networks. */
@Module({
  imports: [prisma],
  providers: [
    { provide: LoginGuard, useClass: CountingLoginGuard },
    { provide: LoginFailures, useClass: PostgresLoginFailures },
  ],
  exports: [LoginGuard, LoginFailures],
})
export class LoginLimitsModule {}
