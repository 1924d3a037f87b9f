import { exportEmails, Refusal, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { PrismaClient } from '../generated/prisma/client.js';
import { replyOf } from './tracked-email-row.js';
import { filterOf, rowOf } from './tracked-emails.projection.js';

const EXPORTED_AT_ONCE = 500;
const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f-]{36})$/;

/** Messages with the state of every recipient, newest first, in steps. */
@Handles(exportEmails)
export class ExportEmails {
  constructor(private readonly prisma: PrismaClient) {}

  async execute({ after, ...filter }: RequestOf<typeof exportEmails>): Promise<ReplyOf<typeof exportEmails>> {
    const rows = await this.prisma.trackedEmail.findMany({
      where: { AND: [filterOf(filter), ...(after === null ? [] : [olderThan(after)])] },
      orderBy: [{ acceptedAt: 'desc' }, { id: 'desc' }],
      take: EXPORTED_AT_ONCE,
    });
    const last = rows.length < EXPORTED_AT_ONCE ? undefined : rows.at(-1);
    return {
      emails: rows.map(row => replyOf(rowOf(row))),
      after: last ? `${last.acceptedAt.toISOString()} ${last.id}` : null,
    };
  }
}

const olderThan = (position: string) => {
  const [, time, id] = POSITION.exec(position) ?? [];
  if (time === undefined || id === undefined) throw new Refusal('invalid_input', 'after: this is not a position');
  const acceptedAt = new Date(time);
  return { OR: [{ acceptedAt: { lt: acceptedAt } }, { acceptedAt, id: { lt: id } }] };
};
