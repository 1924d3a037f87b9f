import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createMailboxServer } from './mailbox-server.js';
import { Mailboxes } from './mailboxes.js';
import { isRequested, type Step } from './recipient-outcome.js';
import { type BounceRelay, ReportQueue } from './report-queue.js';
import { type AcceptedMail, deliveryStatus, feedbackReport } from './reports.js';
import { type AcceptedCopy, createSmtpReceiver } from './smtp-receiver.js';

export interface MailSimulatorOptions {
  /** Default: a free port. */
  smtpPort?: number;
  httpPort?: number;
  /** The address to listen on; default loopback. */
  host?: string;
  /** Receives notifications and complaints; without it, none are sent. */
  bounceRelay?: BounceRelay;
  /** The domain whose local parts select outcomes. */
  simulatorDomain?: string;
  /** Number of newest messages to keep; 0 only counts messages. */
  keepMessages?: number;
  /** Maximum bytes to keep. */
  keepBytes?: number;
  maxMessageBytes?: number;
  /** Delivery time of mail to `slow@`. */
  slowMs?: number;
  /** Delay before the first retry of a report. */
  firstRetryMs?: number;
  /** How long an undeliverable report is retried. */
  giveUpAfterMs?: number;
  /** Maximum number of waiting reports. */
  queueCapacity?: number;
}

/** A running simulator. */
export interface MailSimulator {
  smtpPort: number;
  httpPort: number;
  /** Base URL of the HTTP interface. */
  mailboxUrl: string;
  /** Accepted copies, rejected recipients and messages, and reports by status. */
  counters(): { accepted: number; refused: number; reports: { sent: number; dropped: number; waiting: number } };
  stop(): Promise<void>;
}

/** Starts the relay and its mailboxes; resolves when both ports are open. */
export async function startMailSimulator(options: MailSimulatorOptions = {}): Promise<MailSimulator> {
  const { host = '127.0.0.1', simulatorDomain = 'simulator.test', keepMessages = 1_000 } = options;
  const counted = { accepted: 0, refused: 0 };
  const mailboxes = new Mailboxes(keepMessages, options.keepBytes ?? 128 * 1024 * 1024);
  const reports =
    options.bounceRelay &&
    new ReportQueue({
      relay: options.bounceRelay,
      capacity: options.queueCapacity ?? 10_000,
      firstRetryMs: options.firstRetryMs ?? 250,
      giveUpAfterMs: options.giveUpAfterMs ?? 600_000,
    });
  const timers = new Set<NodeJS.Timeout>();

  const later = (afterMs: number, act: () => void): void => {
    if (afterMs === 0) {
      act();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, afterMs);
    timers.add(timer);
  };

  const perform = (step: Step, mail: AcceptedMail, copy: AcceptedCopy): void => {
    if (step.kind === 'keep') {
      if (keepMessages === 0) return;
      const message = { to: copy.address, envelopeFrom: mail.envelopeFrom, raw: mail.raw };
      later(step.afterMs, () => mailboxes.keep(message));
      return;
    }
    // Mail with the null sender is not reported, because reports about reports would never end (RFC 3461 §5.2.7).
    if (mail.envelopeFrom === '') return;
    if (step.kind === 'complain') {
      reports?.add(mail.envelopeFrom, step.afterMs, () => feedbackReport(mail, copy, simulatorDomain));
    } else if (isRequested(step.action, copy.notify)) {
      reports?.add(mail.envelopeFrom, step.afterMs, () => deliveryStatus(mail, copy, step, simulatorDomain));
    }
  };

  const receiver = createSmtpReceiver({
    simulatorDomain,
    slowMs: options.slowMs ?? 5_000,
    maxMessageBytes: options.maxMessageBytes ?? 25 * 1024 * 1024,
    keepText: keepMessages > 0 || reports !== undefined,
    accepted(mail, copies) {
      counted.accepted += copies.length;
      for (const copy of copies) for (const step of copy.outcome.steps) perform(step, mail, copy);
    },
    refused() {
      counted.refused += 1;
    },
  });
  // Errors of client connections need no handling.
  receiver.on('error', () => undefined);

  const counters = () => ({ ...counted, reports: { ...(reports?.counters ?? { sent: 0, dropped: 0, waiting: 0 }) } });
  const mailboxServer = createMailboxServer(mailboxes, () => ({ status: 'ok', ...counters() }));
  const smtpListener = receiver.listen(options.smtpPort ?? 0, host);
  mailboxServer.listen(options.httpPort ?? 0, host);
  await Promise.all([once(smtpListener, 'listening'), once(mailboxServer, 'listening')]);
  const { port: httpPort } = mailboxServer.address() as AddressInfo;

  return {
    smtpPort: (smtpListener.address() as AddressInfo).port,
    httpPort,
    mailboxUrl: `http://127.0.0.1:${httpPort}`,
    counters,
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      reports?.stop();
      const closed = once(mailboxServer, 'close');
      mailboxServer.close();
      mailboxServer.closeAllConnections();
      await Promise.all([closed, new Promise<void>(resolve => receiver.close(resolve))]);
    },
  };
}
