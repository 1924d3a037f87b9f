import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  composeMessage,
  DkimSigner,
  messageBytes,
  parseMailbox,
  type RelayConfig,
  SmtpPool,
  signMessage,
} from '@postern/mail';
import type { Configuration } from '../configuration/schema.js';
import { mailNamesOf } from '../rendering/model.js';
import { PORTS } from '../rendering/places.js';
import type { Notice } from './notice.js';

const PING_WITHIN_MS = 10_000;
const PING_ATTEMPTS = 3;
const SELECTOR = 'postern';

/** The mail server of this installation, without email-send: it may be what is broken. */
export const relayOf = (configuration: Configuration, password: string | undefined): RelayConfig => {
  const { send } = configuration.mail;
  const common = {
    name: mailNamesOf(configuration).mx,
    maxConnections: 1,
    connectTimeoutMs: 20_000,
    silenceTimeoutMs: 60_000,
    answerTimeoutMs: 120_000,
    queueTimeoutMs: 20_000,
  };
  if (send === 'direct') return { host: '127.0.0.1', port: PORTS.relay, security: 'none', ...common };
  const { host, port, protocol, user } = send;
  return {
    host,
    port,
    security: protocol === 'smtps' ? 'tls' : 'starttls',
    ...(user === '' ? {} : { auth: { user: decodeURIComponent(user), pass: password ?? '' } }),
    ...common,
  };
};

/** Sends a message to the operator from the sandbox domain, whose records the installation publishes. @throws why not */
export const mailNotice = async (
  { subject, text }: Notice,
  configuration: Configuration,
  relay: RelayConfig,
  dkimKey: string | undefined,
): Promise<void> => {
  const { sandbox } = mailNamesOf(configuration);
  const address = `postern@${sandbox}`;
  const message = composeMessage({
    from: parseMailbox(`Postern <${address}>`),
    to: [parseMailbox(configuration.operator)],
    subject,
    text,
    messageId: `${randomUUID()}@${sandbox}`,
    date: new Date(),
    autoSubmitted: true,
  });
  const signers =
    dkimKey === undefined
      ? []
      : [
          new DkimSigner({
            domain: sandbox,
            selector: SELECTOR,
            privateKey: Buffer.from(dkimKey, 'base64').toString(),
          }),
        ];
  const pool = new SmtpPool(relay);
  try {
    const result = await pool.handOver({
      from: address,
      recipients: [{ address: configuration.operator }],
      bytes: messageBytes(message, await signMessage(message, signers)),
      smtpUtf8: message.needsSmtpUtf8,
    });
    // A result of which nobody knows whether it was taken counts as taken: the operator must not get it every hour.
    if (result.kind === 'accepted' || result.kind === 'unknown') return;
    throw new Error('reason' in result ? result.reason : result.reply.response);
  } finally {
    await pool.close();
  }
};

/** Requests the URL of the operator's monitoring, such as healthchecks.io: a failure has "/fail" after it. @throws why not */
export const ping = async (url: string, failed: boolean, text: string, pauseMs = 2_000): Promise<void> => {
  const target = failed ? `${url.replace(/\/$/, '')}/fail` : url;
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(target, {
        method: 'POST',
        body: text.slice(0, 10_000),
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        signal: AbortSignal.timeout(PING_WITHIN_MS),
      });
      await response.body?.cancel();
      if (response.ok) return;
      throw new Error(`${new URL(target).host} answered ${response.status}`);
    } catch (error) {
      if (attempt === PING_ATTEMPTS) throw error;
      await pause(pauseMs * attempt);
    }
  }
};
