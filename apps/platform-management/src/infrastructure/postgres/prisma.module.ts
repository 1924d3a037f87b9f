import { PrismaModule } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';

/** Provides the Prisma client of this service's database; all feature modules import this instance. */
export const prisma = PrismaModule.forClient(PrismaClient);
