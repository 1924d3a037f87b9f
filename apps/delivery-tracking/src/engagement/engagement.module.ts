import { Module } from '@nestjs/common';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { RecordClick } from './record-click.js';
import { RecordOpen } from './record-open.js';

/** Opens and clicks, reported by the gateway. */
@Module({ imports: [TrackedEmailsModule], providers: [RecordOpen, RecordClick] })
export class EngagementModule {}
