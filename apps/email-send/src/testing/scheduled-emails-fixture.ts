import { randomBytes } from 'node:crypto';
import type { ReplyOf, scheduleEmail } from '@postern/contracts';
import { silentLog } from '@postern/messaging';
import { KeyRing, type ServiceLog } from '@postern/service-host';
import { v7 as uuidv7 } from 'uuid';
import { ScheduleEmail } from '../scheduled-emails/schedule-email.js';
import { ScheduledEmailRepository } from '../scheduled-emails/scheduled-email-repository.js';
import { ScheduledEmailSeal } from '../scheduled-emails/scheduled-email-seal.js';
import { ScheduledEmails } from '../scheduled-emails/scheduled-emails.js';
import { SendScheduledEmails } from '../scheduled-emails/send-scheduled-emails.js';
import { type Process, request, SendingFixture } from './sending-fixture.js';

export type Scheduled = ReplyOf<typeof scheduleEmail>;

export const HOUR_MS = 3_600_000;
const SIGNAL = new AbortController().signal;

/** Scheduled messages over the sending path, with a clock that the test moves. */
export class ScheduledEmailsFixture {
  readonly seal = new ScheduledEmailSeal(new KeyRing([{ id: 'test', key: randomBytes(32) }]));
  aheadMs = 0;
  readonly clock = { now: () => new Date(Date.now() + this.aheadMs) };

  private constructor(
    readonly sending: SendingFixture,
    readonly process: Process,
  ) {}

  static async start(): Promise<ScheduledEmailsFixture> {
    const sending = await SendingFixture.start();
    return new ScheduledEmailsFixture(sending, await sending.process());
  }

  stop(): Promise<void> {
    return this.sending.stop();
  }

  async reset(): Promise<void> {
    this.aheadMs = 0;
    this.sending.smtp.reset();
    await this.sending.pool.query('TRUNCATE scheduled_emails');
  }

  /** The feature in a process of the sending path. */
  inProcess({ pool, sendEmail, emails }: Process = this.process) {
    const repository = new ScheduledEmailRepository({ pool }, this.seal);
    return {
      repository,
      schedule: new ScheduleEmail(sendEmail, this.sending.completionOf(pool), repository, this.clock),
      requests: new ScheduledEmails(this.sending.senders, repository, this.clock),
      worker: new SendScheduledEmails(repository, sendEmail, emails, silentLog as ServiceLog, this.clock),
    };
  }

  schedule(
    keyHash: string,
    changes: Parameters<typeof request>[1] = {},
    at = new Date(Date.now() + HOUR_MS),
  ): Promise<Scheduled> {
    return this.inProcess().schedule.execute({
      api_key_hash: keyHash,
      scheduled_email_id: uuidv7(),
      send_at: at.toISOString(),
      email: request(keyHash, changes).email,
    });
  }

  get(keyHash: string, { id }: Pick<Scheduled, 'id'>): Promise<Scheduled> {
    return this.inProcess().requests.get({ api_key_hash: keyHash, scheduled_email_id: id });
  }

  /** Sends what is due after so many hours. */
  async runAfter(hours: number, of: Process = this.process): Promise<void> {
    this.aheadMs = hours * HOUR_MS;
    await this.inProcess(of).worker.run({ signal: SIGNAL });
  }

  copiesTo(address: string) {
    return this.sending.smtp.messages.filter(({ to }) => to[0]!.address === address);
  }

  async row({ id }: Pick<Scheduled, 'id'>) {
    return (await this.sending.pool.query('SELECT * FROM scheduled_emails WHERE id = $1', [id])).rows[0];
  }
}
