import { deliveryStatus, feedbackReport } from '@postern/mail-simulator';
import { createTransport, type Transporter } from 'nodemailer';
import { planOf } from '../message-plan.js';
import type { Report, ReportKind } from '../observed-traffic.js';
import type { TakenMail } from './relay.js';

const RETRY_MS = 1_000;
const FIRST_MS = 200;
const DOMAIN = 'relay.test';

const TAKEN = { action: 'delivered', status: '2.1.5', reply: '250 2.1.5 delivered to mailbox' } as const;
const STATUS = {
  delivered: TAKEN,
  delayed: { action: 'delayed', status: '4.4.1', reply: '451 4.4.1 the destination does not respond yet' },
  bounced_hard: { action: 'failed', status: '5.1.1', reply: '550 5.1.1 no such user here' },
  bounced_soft: { action: 'failed', status: '5.2.2', reply: '552 5.2.2 the mailbox is full' },
} as const;

/** The reports about a copy, in sending order. */
const REPORTS: Readonly<Record<string, readonly ReportKind[]>> = {
  delivered: ['delivered'],
  delayed: ['delayed', 'delivered'],
  hard: ['bounced_hard'],
  soft: ['bounced_soft'],
  complained: ['delivered', 'complained'],
};

/** Sends the reports about each copy to Postern's bounce listener in sequence, and retries each until it is accepted. */
export class ReportSender {
  readonly reports: Report[] = [];
  private readonly transport: Transporter;
  private stopped = false;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    bouncePort: number,
    /** Called when a delivery report was accepted. */
    private readonly onDelivered: (mail: TakenMail) => void,
  ) {
    this.transport = createTransport({
      host: '127.0.0.1',
      port: bouncePort,
      pool: true,
      maxConnections: 4,
      maxMessages: Infinity,
      ignoreTLS: true,
      connectionTimeout: 5_000,
      greetingTimeout: 5_000,
      socketTimeout: 30_000,
    });
    this.transport.on('error', () => undefined);
  }

  get waiting(): number {
    return this.reports.filter(({ takenAt, refusedWith }) => takenAt === null && refusedWith === null).length;
  }

  /** Schedules the reports that the recipient's address selects. */
  add(mail: TakenMail): void {
    const kinds = REPORTS[planOf(mail.copy.recipient)?.outcome ?? ''] ?? [];
    const { emailId, recipient } = mail.copy;
    const reports = kinds.map(kind => ({ kind, emailId, recipient, takenAt: null, refusedWith: null }));
    this.reports.push(...reports);
    this.sendLater(mail, reports, FIRST_MS);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.transport.close();
  }

  private sendLater(mail: TakenMail, reports: readonly Report[], afterMs: number): void {
    if (this.stopped || reports.length === 0) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.send(mail, reports);
    }, afterMs);
    this.timers.add(timer);
  }

  private async send(mail: TakenMail, reports: readonly Report[]): Promise<void> {
    const [report, ...rest] = reports;
    if (!report) return;
    try {
      const raw = compose(mail, report.kind);
      await this.transport.sendMail({ envelope: { from: '', to: [mail.envelopeFrom] }, raw });
      report.takenAt = Date.now();
      if (report.kind === 'delivered') this.onDelivered(mail);
      this.sendLater(mail, rest, FIRST_MS);
    } catch (error) {
      const { responseCode = 0, message } = error as Error & { responseCode?: number };
      if (responseCode >= 500) report.refusedWith = message;
      else this.sendLater(mail, reports, RETRY_MS);
    }
  }
}

const compose = ({ copy, envelopeFrom, envid, raw }: TakenMail, kind: ReportKind): Buffer => {
  const mail = { envelopeFrom, envid, ret: 'HDRS', clientAddress: '127.0.0.1', raw, receivedAt: new Date(copy.at) };
  const to = { address: copy.recipient, orcpt: undefined };
  return kind === 'complained' ? feedbackReport(mail, to, DOMAIN) : deliveryStatus(mail, to, STATUS[kind], DOMAIN);
};
