import { Injectable } from '@nestjs/common';
import {
  type KeptRows,
  PersonalData,
  type PersonalErasure,
  type RowsOfEvents,
  type RowsOnTheirOwn,
} from '@postern/service-host';
import type pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { ERASE_INVITATIONS, ERASE_LOGIN_FAILURES, ERASE_RESET_REQUESTS } from './operations.sql.js';

/**
 * Erases the address of a recipient from failed logins, password resets and invitations.
 * Accounts stay, because they belong to users and not to recipients.
 */
@Injectable()
export class PostgresPersonalData extends PersonalData {
  override readonly isInEvents = false;

  constructor(private readonly prisma: PrismaClient) {
    super();
  }

  async eraseRowsOf(): Promise<RowsOfEvents> {
    return { erased: {}, unfinished: 0 };
  }

  async eraseRows(erasure: PersonalErasure, _from: string | undefined, tx: pg.ClientBase): Promise<RowsOnTheirOwn> {
    const erase = async (statement: string) => (await tx.query(statement, [emailsIn(erasure)])).rowCount ?? 0;
    return {
      erased: {
        login_failures: await erase(ERASE_LOGIN_FAILURES),
        password_reset_requests: await erase(ERASE_RESET_REQUESTS),
        invitations: await erase(ERASE_INVITATIONS),
      },
    };
  }

  override async kept(erasure: PersonalErasure): Promise<readonly KeptRows[]> {
    const rows = await this.prisma.credential.count({ where: { email: { in: emailsIn(erasure) } } });
    const reason = 'a user of the dashboard logs in with this address';
    return rows === 0 ? [] : [{ kind: 'credentials', rows, reason }];
  }
}

const emailsIn = ({ forms }: PersonalErasure): string[] => forms.map(form => form.toLowerCase());
