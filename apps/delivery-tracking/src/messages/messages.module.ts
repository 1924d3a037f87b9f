import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { TrackedEmails } from './tracked-emails.projection.js';

/** The list of messages, their states and timelines. */
@Module({ imports: [prisma], providers: [TrackedEmails] })
export class MessagesModule {}
