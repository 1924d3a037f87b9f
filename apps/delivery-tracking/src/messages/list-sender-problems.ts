import { listSenderProblems, type Problem, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { COUNT_SANDBOX_SENDER } from './sender-problems.sql.js';

interface SenderRow {
  readonly service_id: string;
  readonly messages: number;
  readonly latest: Date;
}

/** Lists the services in production whose messages left from the sandbox sender. */
@Handles(listSenderProblems)
export class ListSenderProblems {
  constructor(private readonly database: Database) {}

  async execute({ services }: RequestOf<typeof listSenderProblems>): Promise<ReplyOf<typeof listSenderProblems>> {
    const ids = services.map(({ id }) => id);
    const { rows } = await this.database.pool.query<SenderRow>(COUNT_SANDBOX_SENDER, [ids]);
    const names = new Map(services.map(({ id, name }) => [id, name]));
    return { problems: rows.map(row => problemOf(row, names.get(row.service_id) ?? '')) };
  }
}

const problemOf = ({ service_id, messages, latest }: SenderRow, name: string): Problem => ({
  kind: 'sandbox_sender_used',
  severity: 'warning',
  message: `${messages === 1 ? '1 message' : `${messages} messages`} of “${name}” left from the sandbox sender in the last 24 hours, because the domain of the sender is not verified.`,
  fix: 'Send from a verified domain, or add and verify the domain of the sender. The list shows the messages.',
  page: `/services/${service_id}/messages?mode=sandbox_fallback`,
  resource: { type: 'email_service', id: service_id, name },
  since: latest.toISOString(),
});
