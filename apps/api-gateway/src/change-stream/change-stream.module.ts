import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { ChangeStreamController } from './change-stream.controller.js';
import { ChangeStreams } from './change-streams.js';
import { WorkspaceTopics } from './workspace-topics.js';

/** One stream of server-sent events for each tab of the dashboard, in place of repeated reads. */
@Module({
  imports: [ServiceClientModule],
  controllers: [ChangeStreamController],
  providers: [ChangeStreams, WorkspaceTopics],
})
export class ChangeStreamModule {}
