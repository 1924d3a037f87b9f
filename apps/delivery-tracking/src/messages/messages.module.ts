import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { ExportEmails } from './export-emails.js';
import { TrackedEmails } from './get-email.js';
import { ListEmails } from './list-emails.js';
import { ListSenderProblems } from './list-sender-problems.js';
import { TaggedEmails } from './tagged-emails.js';

/** The list of messages, their states and timelines, and their export. */
@Module({
  imports: [prisma],
  providers: [TrackedEmails, ListEmails, ExportEmails, TaggedEmails, ListSenderProblems],
  exports: [TaggedEmails, TrackedEmails],
})
export class MessagesModule {}
