import { Injectable } from '@nestjs/common';
import { Database } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { ADD_OPT_OUT } from './code-opt-outs.sql.js';
import { CodeOptOuts } from './ports.js';

/** Mailboxes that refuse verification codes, without their addresses. */
@Injectable()
export class PostgresCodeOptOuts extends CodeOptOuts {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
  ) {
    super();
  }

  async has(mailboxHash: Buffer): Promise<boolean> {
    return (await this.prisma.codeOptOut.count({ where: { mailboxHash: mailboxHash.toString('hex') } })) > 0;
  }

  async add(mailboxHash: Buffer, at: Date): Promise<void> {
    await this.database.pool.query(ADD_OPT_OUT, [mailboxHash.toString('hex'), at]);
  }

  async remove(mailboxHash: Buffer): Promise<boolean> {
    const { count } = await this.prisma.codeOptOut.deleteMany({ where: { mailboxHash: mailboxHash.toString('hex') } });
    return count > 0;
  }

  count(): Promise<number> {
    return this.prisma.codeOptOut.count();
  }
}
