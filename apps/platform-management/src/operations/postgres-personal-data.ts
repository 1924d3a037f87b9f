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
import { ERASE_LOGIN_FAILURES } from './operations.sql.js';

/** Erases a recipient's address from failed logins. Accounts stay, because they belong to users, not to recipients. */
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
    const { rowCount } = await tx.query(ERASE_LOGIN_FAILURES, [emailsIn(erasure)]);
    return { erased: { login_failures: rowCount ?? 0 } };
  }

  override async kept(erasure: PersonalErasure): Promise<readonly KeptRows[]> {
    const rows = await this.prisma.credential.count({ where: { email: { in: emailsIn(erasure) } } });
    const reason = 'a user of the dashboard logs in with this address';
    return rows === 0 ? [] : [{ kind: 'credentials', rows, reason }];
  }
}

const emailsIn = ({ forms }: PersonalErasure): string[] => forms.map(form => form.toLowerCase());
