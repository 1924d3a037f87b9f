import { Controller, Get } from '@nestjs/common';
import { Liveness, Readiness } from '@postern/service-host';
import { z } from 'zod';
import { AdmitsAnyone } from '../infrastructure/http/admission/route-admission.js';
import { Problem } from '../infrastructure/http/errors/problem.js';
import { Describes } from '../infrastructure/http/openapi/describe.js';

const CHECK_TIMEOUT_MS = 2_000;

const healthy = z.object({ status: z.literal('ok') });

/** Both health checks of the operator's port, for load balancers that can reach only the public port. */
@Controller('health')
export class HealthController {
  /** Shared by concurrent requests, because anyone may send them. */
  #checking: Promise<boolean> | undefined;

  constructor(
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
  ) {}

  @Get('live')
  @AdmitsAnyone('client-frequent')
  @Describes({
    summary: 'Check that the process is alive',
    requests: [],
    reply: healthy,
    also: { 503: 'The process must be restarted.' },
  })
  async live() {
    if (await this.liveness.problem()) throw new Problem(503, 'The gateway must be restarted.');
    return { status: 'ok' };
  }

  @Get('ready')
  @AdmitsAnyone('client-frequent')
  @Describes({
    summary: 'Check that the gateway accepts requests',
    requests: [],
    reply: healthy,
    also: { 503: 'Not ready.' },
  })
  async ready() {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    const ready = await this.#checking;
    if (ready && !this.readiness.stopping) return { status: 'ok' };
    throw new Problem(503, 'The gateway is not ready.', { 'retry-after': '2' });
  }

  async #check(): Promise<boolean> {
    const { promise: timedOut, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false);
    const passed = Promise.all(this.readiness.checks.map(async ({ check }) => check())).then(
      () => true,
      () => false,
    );
    return Promise.race([passed, timedOut]).finally(() => clearTimeout(timer));
  }
}
