import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { MetricsController } from './adapters/nats/metrics.controller.js';
import { BandwidthRows } from './adapters/postgres/bandwidth-rows.js';
import { MetricRows } from './adapters/postgres/metric-rows.js';
import { WebServiceOwnershipRows } from './adapters/postgres/web-service-ownership.js';
import { GetMetrics } from './commands/metrics/get-metrics.js';
import { GetMetricsHistory } from './commands/metrics/get-metrics-history.js';
import { GIGABYTE } from './domain/metrics/metrics-bandwidth.js';
import type { metricsSettings } from './metrics-settings.js';
import { BandwidthLedger, MetricStore, MetricsSettings, WebServiceOwnership } from './ports/metrics.js';
import { CountTraffic } from './reactions/count-traffic.js';
import { RollUpMetrics } from './reactions/roll-up-metrics.js';
import { SampleMetrics } from './reactions/sample-metrics.js';

type Config = ConfigOf<ConfigDefinition<typeof metricsSettings>>;

/** Several measurements make a sample, so that one is there soon after a service has started. */
const MEASURE_EVERY_MS = 5_000;
const COUNT_EVERY_MS = 15_000;
const ROLL_UP_EVERY_MS = 60_000;

/** Starts what metrics need by the clock, each in one replica at a time. */
@Injectable()
export class MetricTimers implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: Tasks,
    private readonly database: Database,
    private readonly sampling: SampleMetrics,
    private readonly rollingUp: RollUpMetrics,
    private readonly counting: CountTraffic,
  ) {}

  onApplicationBootstrap(): void {
    this.#lead(MEASURE_EVERY_MS, 'sample metrics', () => this.sampling.run(new Date()));
    this.#lead(ROLL_UP_EVERY_MS, 'roll up metrics', () => this.rollingUp.run(new Date()));
    this.#lead(COUNT_EVERY_MS, 'count traffic', () => this.counting.run(new Date()));
  }

  #lead(everyMs: number, name: string, run: () => Promise<void>): void {
    this.tasks.every(everyMs, name, signal => withLeadership(this.database.pool, name, signal, run));
  }
}

/** Needs `Runtime` and `Suspensions` beside it. */
export const metricsProviders: Provider[] = [
  {
    provide: MetricsSettings,
    inject: [CONFIG],
    useFactory: ({ platformMonthlyBandwidthGb: gigabytes }: Config): MetricsSettings => ({
      monthlyBandwidthBytes: gigabytes === undefined ? undefined : gigabytes * GIGABYTE,
    }),
  },
  { provide: MetricStore, inject: [Database], useFactory: ({ pool }: Database) => new MetricRows(pool) },
  { provide: BandwidthLedger, inject: [Database], useFactory: ({ pool }: Database) => new BandwidthRows(pool) },
  {
    provide: WebServiceOwnership,
    inject: [Database],
    useFactory: ({ pool }: Database) => new WebServiceOwnershipRows(pool),
  },
  GetMetrics,
  GetMetricsHistory,
  SampleMetrics,
  RollUpMetrics,
  CountTraffic,
  MetricTimers,
];

export const metricsControllers = [MetricsController];
