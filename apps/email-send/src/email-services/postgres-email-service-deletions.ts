import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { CommandTransactions, DeletedOwners } from '@postern/event-sourcing/postgres';
import type pg from 'pg';
import { COUNT_UNDER_WAY } from './deleted-services.sql.js';
import { emailService, emailServiceStream } from './email-service.js';
import { EmailServiceDeletions } from './ports.js';

/** Records the deletion and the work that follows from it in one transaction. */
@Injectable()
export class PostgresEmailServiceDeletions extends EmailServiceDeletions {
  constructor(private readonly transactions: CommandTransactions) {
    super();
  }

  override async delete({ workspaceId, serviceId }: { workspaceId: string; serviceId: string }): Promise<void> {
    await this.transactions.execute({
      decider: emailService,
      streamId: emailServiceStream(serviceId),
      command: { kind: 'delete', workspaceId, at: new Date().toISOString() },
      write: async client => {
        await refuseWhileUnderWay(client, serviceId);
        await DeletedOwners.record(client, serviceId);
      },
    });
  }
}

/** Runs after the ownership check, so that other callers learn nothing about the messages of the service. */
const refuseWhileUnderWay = async (client: pg.ClientBase, serviceId: string): Promise<void> => {
  const { rows } = await client.query<{ count: number }>(COUNT_UNDER_WAY, [serviceId]);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  const messages = count === 1 ? '1 message is' : `${count} messages are`;
  throw new Refusal(
    'messages_under_way',
    `${messages} still being sent or retried; disable the service, and delete it when they are done`,
  );
};
