import { Injectable } from '@nestjs/common';
import { PrismaClient } from '../generated/prisma/client.js';
import { CodeOptOuts } from './ports.js';

/** Mailboxes that refuse verification codes, without their addresses. */
@Injectable()
export class PostgresCodeOptOuts extends CodeOptOuts {
  constructor(private readonly prisma: PrismaClient) {
    super();
  }

  async has(mailboxHash: Buffer): Promise<boolean> {
    return (await this.prisma.codeOptOut.count({ where: { mailboxHash: mailboxHash.toString('hex') } })) > 0;
  }

  async add(mailboxHash: Buffer, at: Date): Promise<void> {
    const data = { mailboxHash: mailboxHash.toString('hex'), optedOutAt: at };
    await this.prisma.codeOptOut.createMany({ data, skipDuplicates: true });
  }

  async remove(mailboxHash: Buffer): Promise<boolean> {
    const { count } = await this.prisma.codeOptOut.deleteMany({ where: { mailboxHash: mailboxHash.toString('hex') } });
    return count > 0;
  }

  count(): Promise<number> {
    return this.prisma.codeOptOut.count();
  }
}
