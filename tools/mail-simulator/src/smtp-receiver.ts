import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { outcomeFor, type RecipientOutcome } from './recipient-outcome.js';
import type { AcceptedMail, AcceptedRecipient } from './reports.js';

/** The accepted copy of a recipient and its outcome. */
export interface AcceptedCopy extends AcceptedRecipient {
  notify: string[];
  outcome: RecipientOutcome;
}

export interface SmtpReceiverOptions {
  simulatorDomain: string;
  slowMs: number;
  maxMessageBytes: number;
  /** If false, messages are read and discarded; `raw` stays empty. */
  keepText: boolean;
  accepted(mail: AcceptedMail, copies: AcceptedCopy[]): void;
  refused(): void;
}

/** The SMTP server of the relay: accepts mail for any domain, and rejects or defers it for some recipients. */
export function createSmtpReceiver(options: SmtpReceiverOptions): SMTPServer {
  const outcome = (address: string): RecipientOutcome => outcomeFor(address, options.simulatorDomain, options.slowMs);
  const deferred = new Set<string>();

  const reject = (code: number, text: string): Error => {
    options.refused();
    return Object.assign(new Error(text), { responseCode: code });
  };

  return new SMTPServer({
    name: options.simulatorDomain,
    size: options.maxMessageBytes,
    rejectOversized: true,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    hideDSN: false,
    maxAllowedUnauthenticatedCommands: false,
    closeTimeout: 500,
    onRcptTo({ address }, session, callback) {
      const { refusal } = outcome(address);
      if (!refusal) return callback();
      const attempt = `${senderOf(session)} ${address}`;
      if (refusal.onlyOnce && deferred.delete(attempt)) return callback();
      // After the set is cleared, a recipient can be deferred once more.
      if (refusal.onlyOnce && deferred.size >= 10_000) deferred.clear();
      if (refusal.onlyOnce) deferred.add(attempt);
      callback(reject(refusal.code, refusal.text));
    },
    onData(stream, session, callback) {
      collect(stream, options.keepText, raw => {
        if (stream.sizeExceeded) return callback(reject(552, '5.3.4 message too large'));
        const copies = session.envelope.rcptTo.map(to => ({ ...toCopy(to), outcome: outcome(to.address) }));
        options.accepted(toMail(session, raw), copies);
        callback(null, `2.0.0 queued as ${session.id}`);
      });
    },
  });
}

const senderOf = ({ envelope }: SMTPServerSession): string => (envelope.mailFrom ? envelope.mailFrom.address : '');

function toMail(session: SMTPServerSession, raw: Buffer): AcceptedMail {
  const { dsn } = session.envelope;
  return {
    envelopeFrom: senderOf(session),
    envid: dsn?.envid ?? undefined,
    ret: dsn?.ret ?? undefined,
    clientAddress: session.remoteAddress,
    raw,
    receivedAt: new Date(),
  };
}

const toCopy = ({ address, dsn }: SMTPServerAddress) => ({ address, orcpt: dsn?.orcpt, notify: dsn?.notify ?? [] });

function collect(stream: SMTPServerDataStream, keep: boolean, finish: (raw: Buffer) => void): void {
  const chunks: Buffer[] = [];
  if (keep) stream.on('data', chunk => stream.sizeExceeded || chunks.push(chunk));
  else stream.resume();
  stream.once('end', () => finish(Buffer.concat(chunks)));
}
