import { Module } from '@nestjs/common';
import { Retention } from './retention.js';

/** Deletes what the features store for a limited time. */
@Module({ providers: [Retention] })
export class RetentionModule {}
