import { Module } from '@nestjs/common';
import { eventSourcing } from '../infrastructure/postgres/event-sourcing.module.js';
import { prisma } from '../infrastructure/postgres/prisma.module.js';
import { RemoveSuppression } from './remove-suppression.js';
import { SuppressedAddresses } from './suppressed-addresses.projection.js';

/** Addresses that bounced hard or complained. `tracked-emails` adds them; their owner removes them. */
@Module({ imports: [eventSourcing, prisma], providers: [RemoveSuppression, SuppressedAddresses] })
export class SuppressionsModule {}
