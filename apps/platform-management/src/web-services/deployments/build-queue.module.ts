import { Module } from '@nestjs/common';
import { BuildQueue } from './build-queue.js';

/** Provides the build queue. */
@Module({ providers: [BuildQueue], exports: [BuildQueue] })
export class BuildQueueModule {}
