import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { LogFollower } from './log-follower.js';
import { DashboardLogStreamController, PlatformLogStreamController } from './log-stream.controller.js';
import { LogStreams } from './log-streams.js';

/** Logs of web services as streams of server-sent events. */
@Module({
  imports: [ServiceClientModule],
  controllers: [DashboardLogStreamController, PlatformLogStreamController],
  providers: [LogFollower, LogStreams],
})
export class LogStreamModule {}
