import { Module } from '@nestjs/common';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { SubmissionListener } from './submission-listener.js';
import { SubmitMessage } from './submit-message.js';

@Module({ imports: [ServiceClientModule], providers: [SubmitMessage, SubmissionListener] })
export class SubmissionModule {}
