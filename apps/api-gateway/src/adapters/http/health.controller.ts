import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import { Readiness } from '../../ports.js';
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
    if (await this.readiness.isReady()) return { status: 'ok' };
    throw new Problem(503, 'The gateway is not ready.', { 'retry-after': '2' });
  }
}
