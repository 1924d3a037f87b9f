import { Module } from '@nestjs/common';
import { RuntimesModule } from '../runtimes.module.js';
import { RouteDomains } from './route-domains.js';
import { TerminalAccess } from './terminal-access.js';
import { WebServiceQueries } from './web-service-queries.js';
import { WriteLog } from './write-log.js';

/** Status, usage, addresses, logs, traffic and terminals of web services. */
@Module({ imports: [RuntimesModule], providers: [RouteDomains, TerminalAccess, WebServiceQueries, WriteLog] })
export class WebServicesModule {}
