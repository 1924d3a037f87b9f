import { Module } from '@nestjs/common';
import { RemoveOldMessages } from './remove-old-messages.js';

/** The retention of messages. */
@Module({ providers: [RemoveOldMessages] })
export class RetentionModule {}
