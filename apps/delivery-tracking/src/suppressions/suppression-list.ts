import { Injectable } from '@nestjs/common';
import type { listSuppressions, ReplyOf, RequestOf } from '@postern/contracts';
import { PrismaClient } from '../generated/prisma/client.js';

/** The suppressed addresses of an email service, newest first. */
@Injectable()
export class SuppressionList {
  constructor(private readonly prisma: PrismaClient) {}

  async list(request: RequestOf<typeof listSuppressions>): Promise<ReplyOf<typeof listSuppressions>> {
    const { service_id: serviceId, limit, offset } = request;
    const [rows, total] = await Promise.all([
      this.prisma.suppressedAddress.findMany({
        where: { serviceId },
        orderBy: [{ at: 'desc' }, { address: 'asc' }],
        take: limit,
        skip: offset,
      }),
      this.prisma.suppressedAddress.count({ where: { serviceId } }),
    ]);
    return {
      items: rows.map(({ address, reason, emailId, at }) => ({
        address,
        reason: reason === 'complaint' ? 'complaint' : 'hard_bounce',
        email_id: emailId,
        at: at.toISOString(),
      })),
      total,
      limit,
      offset,
    };
  }
}
