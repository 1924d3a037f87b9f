import { Controller, Get } from '@nestjs/common';
import { Liveness, Readiness } from '@postern/service-host';
import { z } from 'zod';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';

const CHECK_TIMEOUT_MS = 2_000;

const healthy = z.object({ status: z.literal('ok') });

/** The two health checks of the operator's port, for load balancers that reach only the public one. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
  ) {}

  @Get('live')
  @Describes({
    summary: 'Check that the process works',
    requests: [],
    reply: healthy,
    also: { 503: 'The process must be restarted.' },
  })
  async live() {
    if (await this.liveness.problem()) throw new Problem(503, 'The gateway must be restarted.');
    return { status: 'ok' };
  }

  @Get('ready')
  @Describes({
    summary: 'Check that the gateway accepts requests',
    requests: [],
    reply: healthy,
    also: { 503: 'Not ready.' },
  })
  async ready() {
    const { checks, stopping } = this.readiness;
    const { promise: timedOut, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false);
    const passed = Promise.all(checks.map(async ({ check }) => check())).then(
      () => true,
      () => false,
    );
    const ready = await Promise.race([passed, timedOut]).finally(() => clearTimeout(timer));
    if (ready && !stopping) return { status: 'ok' };
    throw new Problem(503, 'The gateway is not ready.', { 'retry-after': '2' });
  }
}
