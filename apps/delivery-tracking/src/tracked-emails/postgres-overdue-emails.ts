import { Injectable } from '@nestjs/common';
import { PrismaClient } from '../generated/prisma/client.js';
import { OverdueEmails } from './ports.js';

/** Finds overdue emails in the read model of tracked emails. */
@Injectable()
export class PostgresOverdueEmails extends OverdueEmails {
  constructor(private readonly prisma: PrismaClient) {
    super();
  }

  override async find(since: Date, limit: number): Promise<readonly string[]> {
    const rows = await this.prisma.trackedEmail.findMany({
      where: { waitingSince: { lt: since } },
      orderBy: { waitingSince: 'asc' },
      take: limit,
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }
}
