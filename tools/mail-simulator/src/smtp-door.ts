import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { type Fate, fateOf } from './fate.js';
import type { AcceptedMail, AcceptedRecipient } from './reports.js';

/** A recipient's accepted copy and what becomes of it. */
export interface AcceptedCopy extends AcceptedRecipient {
  notify: string[];
  fate: Fate;
}

export interface SmtpDoorOptions {
  simulatorDomain: string;
  slowMs: number;
  maxMessageBytes: number;
  /** false: messages are read and thrown away, `raw` stays empty. */
  keepText: boolean;
  accepted(mail: AcceptedMail, copies: AcceptedCopy[]): void;
  refused(): void;
}

/** The relay's side of SMTP: takes mail for any domain, and refuses or defers where a recipient's fate says so. */
export function smtpDoor(options: SmtpDoorOptions): SMTPServer {
  const fate = (address: string): Fate => fateOf(address, options.simulatorDomain, options.slowMs);
  const deferred = new Set<string>();

  const refuse = (code: number, text: string): Error => {
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
      const { refusal } = fate(address);
      if (!refusal) return callback();
      const attempt = `${senderOf(session)} ${address}`;
      if (refusal.onlyOnce && deferred.delete(attempt)) return callback();
      // Forgetting old deferrals only means that one of them is deferred once more.
      if (refusal.onlyOnce && deferred.size >= 10_000) deferred.clear();
      if (refusal.onlyOnce) deferred.add(attempt);
      callback(refuse(refusal.code, refusal.text));
    },
    onData(stream, session, callback) {
      collect(stream, options.keepText, raw => {
        if (stream.sizeExceeded) return callback(refuse(552, '5.3.4 the message is too big'));
        const copies = session.envelope.rcptTo.map(to => ({ ...toCopy(to), fate: fate(to.address) }));
        options.accepted(toMail(session, raw), copies);
        callback(null, `2.0.0 taken as ${session.id}`);
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
