import { Module } from '@nestjs/common';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { TrackedEmails } from './tracked-emails.projection.js';

/** The list of messages, their states and timelines. */
@Module({ imports: [eventSourcing, prisma], providers: [TrackedEmails] })
export class MessagesModule {}
