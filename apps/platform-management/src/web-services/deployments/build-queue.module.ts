import { Module } from '@nestjs/common';
import { BuildQueue } from './ports.js';
import { PostgresBuildQueue } from './postgres-build-queue.js';

/** Provides the build queue. */
@Module({ providers: [{ provide: BuildQueue, useClass: PostgresBuildQueue }], exports: [BuildQueue] })
export class BuildQueueModule {}
