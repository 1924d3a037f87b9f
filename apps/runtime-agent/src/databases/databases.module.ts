import { Module } from '@nestjs/common';
import { RuntimesModule } from '../runtimes.module.js';
import { DatabaseQueries } from './database-queries.js';

/** Endpoints, state and usage of provisioned databases. */
@Module({ imports: [RuntimesModule], providers: [DatabaseQueries] })
export class DatabasesModule {}
