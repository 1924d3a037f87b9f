import { Module } from '@nestjs/common';
import { prisma } from '../../infrastructure/postgres/prisma.module.js';
import { RuntimeModule } from '../../infrastructure/runtime/runtime.module.js';
import { WebServicesModule } from '../services/web-services.module.js';
import { GetMetrics } from './get-metrics.js';
import { GetMetricsHistory } from './get-metrics-history.js';
import { MetricStore } from './metric-store.js';
import { RollUpMetrics } from './roll-up-metrics.js';
import { SampleMetrics } from './sample-metrics.js';

/** Resource usage of web services, now and in the past. */
@Module({
  imports: [prisma, RuntimeModule, WebServicesModule],
  providers: [GetMetrics, GetMetricsHistory, SampleMetrics, RollUpMetrics, MetricStore],
})
export class MetricsModule {}
