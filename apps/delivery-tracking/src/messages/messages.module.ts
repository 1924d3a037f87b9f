import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { ExportEmails } from './export-emails.js';
import { ListEmails } from './list-emails.js';
import { TaggedEmails } from './tagged-emails.js';
import { TrackedEmails } from './tracked-emails.projection.js';

/** The list of messages, their states and timelines, and their export. */
@Module({
  imports: [prisma],
  providers: [TrackedEmails, ListEmails, ExportEmails, TaggedEmails],
  exports: [TaggedEmails],
})
export class MessagesModule {}
