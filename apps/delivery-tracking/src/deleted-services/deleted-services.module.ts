import { Module } from '@nestjs/common';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { DeletedServiceData } from './deleted-service-data.js';

/** Deletes the data of deleted email services. */
@Module({ imports: [eventSourcing], providers: [DeletedServiceData] })
export class DeletedServicesModule {}
