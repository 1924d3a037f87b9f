import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  Controller,
  Get,
  Headers,
  Inject,
  Res,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { FastifyReply } from 'fastify';
import type { Secret } from '../config/secret.js';
import { CONFIG } from '../host.js';
import { Metrics } from '../metrics/metrics.js';
import { OPEN_METRICS, prefersOpenMetrics, TEXT } from '../metrics/open-metrics.js';
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
  render(
    @Headers() { authorization = '', accept }: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { metricsToken } = this.config;
    if (metricsToken && !isSame(authorization, `Bearer ${metricsToken.reveal()}`)) throw new UnauthorizedException();
    const open = prefersOpenMetrics(accept);
    reply.header('content-type', open ? OPEN_METRICS : TEXT);
    return open ? this.metrics.renderOpenMetrics() : this.metrics.render();
  }
}

const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};
