import { Injectable, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import { withLeadership } from '@postern/event-sourcing/postgres';
import { CONFIG, Database, Tasks } from '@postern/service-host';
import type { ConfigDefinition, ConfigOf } from '@postern/service-host/config';
import { GIGABYTE } from '../moderation/bandwidth.js';
import { CountTraffic } from '../moderation/count-traffic.js';
import { BandwidthRows } from '../moderation/postgres-bandwidth.js';
import type { metricsSettings } from '../moderation/settings.js';
import { GetMetrics } from './get-metrics.js';
import { GetMetricsHistory } from './get-metrics-history.js';
import { MetricsController } from './metrics.controller.js';
import { BandwidthLedger, MetricStore, MetricsSettings, WebServiceOwnership } from './ports.js';
import { MetricRows } from './postgres-metrics.js';
import { RollUpMetrics } from './roll-up-metrics.js';
import { SampleMetrics } from './sample-metrics.js';
import { WebServiceOwnershipRows } from './web-service-ownership.js';

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
