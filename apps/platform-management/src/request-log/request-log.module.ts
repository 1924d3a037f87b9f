import { Module } from '@nestjs/common';
import { RequestLog } from './request-log.js';

/** The requests of the platform API, for the developers who sent them. */
@Module({ providers: [RequestLog] })
export class RequestLogModule {}
