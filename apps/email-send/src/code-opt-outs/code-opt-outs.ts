import { Injectable } from '@nestjs/common';
import { countCodeOptOuts, type ReplyOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { PrismaClient } from '../generated/prisma/client.js';

/** Mailboxes whose owners refuse verification codes and invitations, by hashes of their addresses. */
@Injectable()
export class CodeOptOuts {
  constructor(private readonly prisma: PrismaClient) {}

  async has(mailboxHash: Buffer): Promise<boolean> {
    return (await this.prisma.codeOptOut.count({ where: { mailboxHash: mailboxHash.toString('hex') } })) > 0;
  }

  /** Adds a mailbox; does nothing if it is on the list. */
  async add(mailboxHash: Buffer, at: Date): Promise<void> {
    const data = { mailboxHash: mailboxHash.toString('hex'), optedOutAt: at };
    await this.prisma.codeOptOut.createMany({ data, skipDuplicates: true });
  }

  /** False if the mailbox was not on the list. */
  async remove(mailboxHash: Buffer): Promise<boolean> {
    const { count } = await this.prisma.codeOptOut.deleteMany({ where: { mailboxHash: mailboxHash.toString('hex') } });
    return count > 0;
  }

  @Handles(countCodeOptOuts)
  async count(): Promise<ReplyOf<typeof countCodeOptOuts>> {
    return { count: await this.prisma.codeOptOut.count() };
  }
}
