import { Injectable } from '@nestjs/common';
import { KeyRing } from '@postern/service-host';
import { PrismaClient } from '../../generated/prisma/client.js';
import { type LoginActor } from './audit-log.js';

/** Finds users by the addresses of their credentials. */
@Injectable()
export class LoginActors {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly keys: KeyRing,
  ) {}

  async actorOf(login: string): Promise<LoginActor> {
    const email = login.trim().toLowerCase();
    // PostgreSQL refuses NUL, and no stored address contains it.
    const known = email.includes('\0') ? null : await this.prisma.credential.findUnique({ where: { email } });
    if (!known) {
      const [hash] = this.keys.keyedHashes(email, 'audit log login');
      return { actor: { type: 'unknown', id: hash.slice(0, 32) }, workspaceId: null };
    }
    const { userId } = known;
    const membership = await this.prisma.membership.findFirst({ where: { userId }, orderBy: { joinedAt: 'asc' } });
    return { actor: { type: 'user', id: userId }, workspaceId: membership?.workspaceId ?? null };
  }
}
