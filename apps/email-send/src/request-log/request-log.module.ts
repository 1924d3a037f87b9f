import { Module } from '@nestjs/common';
import { EmailServicesModule } from '../email-services/email-services.module.js';
import { RequestLog } from './request-log.js';

/** The requests of the email API, for the developers who sent them. */
@Module({ imports: [EmailServicesModule], providers: [RequestLog] })
export class RequestLogModule {}
