import { deleteEmailService, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Refusal } from '@postern/contracts/refusal';
import { CommandTransactions, DeletedOwners } from '@postern/event-sourcing/postgres';
import { Handles } from '@postern/messaging';
import { emailService, emailServiceStream } from './email-service.js';

/**
 * Messages of service `$1` that are being sent or retried. A message that is being sent for the first time has no record
 * yet, so its first event names its service.
 */
export const COUNT_UNDER_WAY = `
  SELECT count(*)::int AS count FROM (
    SELECT e.stream_id FROM (
      SELECT email_id FROM open_requests AS request WHERE NOT EXISTS (SELECT FROM emails WHERE id = request.email_id)
    ) AS in_progress
    JOIN event_store.events AS e ON e.stream_id = 'email-' || in_progress.email_id AND e.version = 1
    WHERE e.data->>'service_id' = $1::text
    UNION SELECT 'email-' || copy.email_id FROM deferred_copies AS copy
    JOIN emails ON emails.id = copy.email_id WHERE emails.service_id = $1::uuid
  ) AS under_way`;

/** Deletes an email service. When this returns, every replica rejects its keys; its data is deleted afterwards. */
@Handles(deleteEmailService)
export class DeleteEmailService {
  constructor(private readonly transactions: CommandTransactions) {}

  /** Refuses `service_not_found`, and `messages_under_way` while messages of the service are being sent or retried. */
  async execute(request: RequestOf<typeof deleteEmailService>): Promise<ReplyOf<typeof deleteEmailService>> {
    const { workspace_id: workspaceId, service_id: serviceId } = request;
    await this.transactions.execute({
      decider: emailService,
      streamId: emailServiceStream(serviceId),
      command: { kind: 'delete', workspaceId, at: new Date().toISOString() },
      // After the ownership check, so that other callers learn nothing about the messages of the service.
      write: async client => {
        const { rows } = await client.query<{ count: number }>(COUNT_UNDER_WAY, [serviceId]);
        refuseWhileUnderWay(rows[0]?.count ?? 0);
        await DeletedOwners.record(client, serviceId);
      },
    });
    return { id: serviceId, deleted: true };
  }
}

const refuseWhileUnderWay = (count: number): void => {
  if (count === 0) return;
  const messages = count === 1 ? '1 message is' : `${count} messages are`;
  throw new Refusal(
    'messages_under_way',
    `${messages} still being sent or retried; disable the service, and delete it when they are done`,
  );
};
