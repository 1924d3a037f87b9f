import { Module } from '@nestjs/common';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { RecordClick } from './record-click.js';
import { RecordOpen } from './record-open.js';
import { UnsubscribeRecipient } from './unsubscribe-recipient.js';

/** Opens, clicks and unsubscriptions, reported by the gateway. */
@Module({ imports: [TrackedEmailsModule], providers: [RecordOpen, RecordClick, UnsubscribeRecipient] })
export class EngagementModule {}
