import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '@postern/service-host';
import { PrismaClient } from '../generated/prisma/client.js';
import { hashKeyRow, mailboxKey } from './mailbox-key.js';
import { MailboxHashes } from './ports.js';

/** The only key: hashes under it are kept permanently, so it is re-encrypted but never replaced. */
const KEY_ID = '00000000-0000-4000-8000-000000000001';

/** Hashes under a random key that is created once per installation and stored sealed. */
@Injectable()
export class PostgresMailboxHashes extends MailboxHashes {
  #key: Promise<Buffer> | undefined;

  constructor(
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  async hashOf(address: string): Promise<Buffer> {
    this.#key ??= this.#load();
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return createHmac('sha256', key).update(mailboxKey(address)).digest();
  }

  async #load(): Promise<Buffer> {
    const row = hashKeyRow(KEY_ID);
    const fresh = this.keys.seal(randomBytes(32).toString('base64'), row);
    await this.prisma.mailboxHashKey.createMany({ data: { id: KEY_ID, sealedKey: fresh }, skipDuplicates: true });
    const { sealedKey } = await this.prisma.mailboxHashKey.findUniqueOrThrow({ where: { id: KEY_ID } });
    return Buffer.from(this.keys.open(sealedKey, row), 'base64');
  }
}
