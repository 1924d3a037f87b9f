import { Module } from '@nestjs/common';
import { WebServiceObserver } from '../../web-services/ports.js';
import { WebServiceGauges } from './web-service-gauges.js';
import { WebServiceMetrics } from './web-service-metrics.js';

/** Exposes metrics of web services and deployments. */
@Module({
  providers: [{ provide: WebServiceObserver, useClass: WebServiceMetrics }, WebServiceGauges],
  exports: [WebServiceObserver],
})
export class TelemetryModule {}
