import { Module } from '@nestjs/common';
import { RuntimesModule } from '../runtimes.module.js';
import { RouteDomains } from './route-domains.js';
import { WebServiceQueries } from './web-service-queries.js';
import { WriteLog } from './write-log.js';

/** Status, usage, addresses, logs and traffic of web services. */
@Module({ imports: [RuntimesModule], providers: [RouteDomains, WebServiceQueries, WriteLog] })
export class WebServicesModule {}
