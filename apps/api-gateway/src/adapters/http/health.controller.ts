import { Controller, Get } from '@nestjs/common';
import { Liveness, Readiness } from '@postern/service-host';
import { z } from 'zod';
import { Problem } from './errors/problem.js';
import { Describes } from './openapi/describe.js';

const CHECK_WITHIN_MS = 2_000;

const alive = z.object({ status: z.literal('ok') });

/** The same two questions as on the health port, for load balancers that see only the public one. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
  ) {}

  @Get('live')
  @Describes({ summary: 'Whether the process works', asks: [], reply: alive, also: { 503: 'It has to be restarted.' } })
  async live() {
    if (await this.liveness.problem()) throw new Problem(503, 'The gateway has to be restarted.');
    return { status: 'ok' };
  }

  @Get('ready')
  @Describes({ summary: 'Whether requests are welcome', asks: [], reply: alive, also: { 503: 'Not now.' } })
  async ready() {
    const { checks, stopping } = this.readiness;
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(resolve, CHECK_WITHIN_MS, false);
    const passed = Promise.all(checks.map(async ({ check }) => check())).then(
      () => true,
      () => false,
    );
    const ready = await Promise.race([passed, late]).finally(() => clearTimeout(timer));
    if (ready && !stopping) return { status: 'ok' };
    throw new Problem(503, 'The gateway is not ready.', { 'retry-after': '2' });
  }
}
