import { Controller, Get } from '@nestjs/common';
import { Readiness } from '@postern/service-host';
import { z } from 'zod';
import { Problem } from './errors/problem.js';
import { Describes } from './openapi/describe.js';

const alive = z.object({ status: z.literal('ok') });

/** The same two questions as on the health port, for load balancers that see only the public one. */
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  @Describes({ summary: 'Whether the process runs', asks: [], reply: alive })
  live() {
    return { status: 'ok' };
  }

  @Get('ready')
  @Describes({ summary: 'Whether requests are welcome', asks: [], reply: alive, also: { 503: 'Not now.' } })
  async ready() {
    const { checks, stopping } = this.readiness;
    const outcomes = await Promise.allSettled(checks.map(async ({ check }) => check()));
    if (!stopping && outcomes.every(({ status }) => status === 'fulfilled')) return { status: 'ok' };
    throw new Problem(503, 'The gateway is not ready.', { 'retry-after': '2' });
  }
}
