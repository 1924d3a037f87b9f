import { Module } from '@nestjs/common';
import { DeletedServiceData } from './deleted-service-data.js';

/** Deletes the data of deleted email services. */
@Module({ providers: [DeletedServiceData] })
export class DeletedServicesModule {}
