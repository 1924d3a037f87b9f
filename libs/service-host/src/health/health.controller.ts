import { Controller, Get, Header, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Metrics } from '../metrics/metrics.js';
import { Readiness } from './readiness.js';

const CHECK_TIMEOUT_MS = 2_000;

/** What an orchestrator and Prometheus ask of every service. */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  /** The process answers. Nothing outside it counts, or a lost database would restart every service. */
  @Get('health/live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @HealthCheck({ swaggerDocumentation: false })
  ready() {
    if (this.readiness.stopping) throw new ServiceUnavailableException({ status: 'shutting_down' });
    return this.health.check(
      this.readiness.checks.map(
        ({ name, check }) =>
          async () =>
            await this.indicators
              .check(name)
              .attempt(async () => await check())
              .withTimeout(CHECK_TIMEOUT_MS),
      ),
    );
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  render(): Promise<string> {
    return this.metrics.render();
  }
}
