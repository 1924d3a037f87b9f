import { timingSafeEqual } from 'node:crypto';
import {
  Controller,
  Get,
  Header,
  Headers,
  Inject,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { Secret } from '../config/secret.js';
import { CONFIG } from '../host.js';
import { Metrics } from '../metrics/metrics.js';
import { Liveness } from './liveness.js';
import { Readiness } from './readiness.js';

const CHECK_TIMEOUT_MS = 2_000;

/** Health and metrics for orchestrators and Prometheus. */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: { readonly metricsToken?: Secret | undefined },
  ) {}

  /**
   * Whether a restart is required. Dependencies do not count; otherwise a database outage would restart every service.
   */
  @Get('health/live')
  async live(): Promise<{ status: 'ok' }> {
    const problem = await this.liveness.problem();
    if (problem) throw new ServiceUnavailableException({ status: 'dead', problem });
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
  render(@Headers('authorization') authorization = ''): Promise<string> {
    const { metricsToken } = this.config;
    if (metricsToken && !isSame(authorization, `Bearer ${metricsToken.reveal()}`)) throw new UnauthorizedException();
    return this.metrics.render();
  }
}

const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};
