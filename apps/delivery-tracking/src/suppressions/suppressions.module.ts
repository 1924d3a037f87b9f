import { Module } from '@nestjs/common';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { TrackedEmailsModule } from '../tracked-emails/tracked-emails.module.js';
import { AddSuppressions } from './add-suppressions.js';
import { ListedAddresses } from './listed-addresses.js';
import { RemoveSuppression } from './remove-suppression.js';
import { SuppressedAddresses } from './suppressed-addresses.projection.js';

/** Addresses that bounced hard, complained or were listed by a user. `tracked-emails` adds those of reports. */
@Module({
  imports: [prisma, TrackedEmailsModule],
  providers: [AddSuppressions, RemoveSuppression, SuppressedAddresses, ListedAddresses],
})
export class SuppressionsModule {}
