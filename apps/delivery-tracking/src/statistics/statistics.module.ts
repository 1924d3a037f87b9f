import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { EmailStatistics } from './email-statistics.js';

/** Counts and rates of recipients per email service and day. */
@Module({ imports: [prisma, MessagesModule], providers: [EmailStatistics] })
export class StatisticsModule {}
