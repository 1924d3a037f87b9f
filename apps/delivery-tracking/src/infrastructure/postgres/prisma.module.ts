import { PrismaModule } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';

/** The generated Prisma client. */
export const prisma = PrismaModule.forClient(PrismaClient);
