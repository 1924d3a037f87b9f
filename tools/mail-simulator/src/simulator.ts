import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isWanted, type Step } from './fate.js';
import { mailboxWeb } from './mailbox-web.js';
import { Mailboxes } from './mailboxes.js';
import { type BounceRelay, ReportQueue } from './report-queue.js';
import { type AcceptedMail, deliveryStatus, feedbackReport } from './reports.js';
import { type AcceptedCopy, smtpDoor } from './smtp-door.js';

export interface MailSimulatorOptions {
  /** 0 or nothing: a free port. */
  smtpPort?: number;
  httpPort?: number;
  /** The address to listen on; loopback unless told otherwise. */
  host?: string;
  /** Takes the notifications and complaints; without one none are sent. */
  bounceRelay?: BounceRelay;
  /** The domain whose local parts name fates. */
  simulatorDomain?: string;
  /** Messages kept, the newest; 0 keeps none and only counts. */
  keepMessages?: number;
  /** Bytes kept at most. */
  keepBytes?: number;
  maxMessageBytes?: number;
  /** How long mail to `slow@` is on its way. */
  slowMs?: number;
  /** The first pause before a report is tried again. */
  firstRetryMs?: number;
  /** How long an undeliverable report is tried. */
  giveUpAfterMs?: number;
  /** Reports waiting at most. */
  queueCapacity?: number;
}

/** A running simulator. */
export interface MailSimulator {
  smtpPort: number;
  httpPort: number;
  /** Base of the HTTP interface, the local start's `mailbox_url`. */
  mailboxUrl: string;
  /** What happened so far: copies accepted, recipients or messages refused, reports by their fate. */
  counters(): { accepted: number; refused: number; reports: { sent: number; dropped: number; waiting: number } };
  stop(): Promise<void>;
}

/** Starts the relay and its mailboxes; both ports are open when it answers. */
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
    // Nobody is told about mail with the null sender: reports about reports would never end (RFC 3461 §5.2.7).
    if (mail.envelopeFrom === '') return;
    if (step.kind === 'complain') {
      reports?.add(mail.envelopeFrom, step.afterMs, () => feedbackReport(mail, copy, simulatorDomain));
    } else if (isWanted(step.action, copy.notify)) {
      reports?.add(mail.envelopeFrom, step.afterMs, () => deliveryStatus(mail, copy, step, simulatorDomain));
    }
  };

  const door = smtpDoor({
    simulatorDomain,
    slowMs: options.slowMs ?? 5_000,
    maxMessageBytes: options.maxMessageBytes ?? 25 * 1024 * 1024,
    keepText: keepMessages > 0 || reports !== undefined,
    accepted(mail, copies) {
      counted.accepted += copies.length;
      for (const copy of copies) for (const step of copy.fate.steps) perform(step, mail, copy);
    },
    refused() {
      counted.refused += 1;
    },
  });
  // A client that hangs up is its own business.
  door.on('error', () => undefined);

  const counters = () => ({ ...counted, reports: { ...(reports?.counters ?? { sent: 0, dropped: 0, waiting: 0 }) } });
  const web = mailboxWeb(mailboxes, () => ({ status: 'ok', ...counters() }));
  const smtpListener = door.listen(options.smtpPort ?? 0, host);
  web.listen(options.httpPort ?? 0, host);
  await Promise.all([once(smtpListener, 'listening'), once(web, 'listening')]);
  const { port: httpPort } = web.address() as AddressInfo;

  return {
    smtpPort: (smtpListener.address() as AddressInfo).port,
    httpPort,
    mailboxUrl: `http://127.0.0.1:${httpPort}`,
    counters,
    async stop() {
      for (const timer of timers) clearTimeout(timer);
      reports?.stop();
      const closed = once(web, 'close');
      web.close();
      web.closeAllConnections();
      await Promise.all([closed, new Promise<void>(resolve => door.close(resolve))]);
    },
  };
}
