import type { NamedRelay } from '@postern/mail';

const CONNECT_TIMEOUT_MS = 5_000;
/** Within a dialogue; RFC 5321 §4.5.3.2 recommends minutes, but a client waits for the answer. */
const SILENCE_TIMEOUT_MS = 15_000;
/** For a whole message, as RFC 5321 §4.5.3.2.6 asks for: the request ends before, and the answer is recorded later. */
const ANSWER_TIMEOUT_MS = 10 * 60_000;
const QUEUE_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 20;

/**
 * Parses POSTERN_RELAYS. `smtp://` requires STARTTLS, `smtps://` uses implicit TLS, `?tls=none` is plain text.
 * @throws TypeError that names the relay by its position, because its URL may contain a password.
 */
export function relaysFrom(urls: string, ownName: string): NamedRelay[] {
  const relays = urls
    .split(',')
    .map(url => url.trim())
    .filter(url => url !== '');
  if (relays.length === 0) throw new TypeError('POSTERN_RELAYS does not contain a relay');
  return relays.map((url, place) => relayFrom(url, ownName, `relay ${place + 1} of POSTERN_RELAYS`));
}

function relayFrom(text: string, ownName: string, which: string): NamedRelay {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new TypeError(`${which} is not an smtp:// or smtps:// URL`);
  }
  const options = url.searchParams;
  const unknown = [...options.keys()].find(key => !['tls', 'connections', 'name'].includes(key));
  if (unknown !== undefined) throw new TypeError(`${which} has an unknown option ${unknown}`);
  const tls = options.get('tls') ?? (url.protocol === 'smtps:' ? 'implicit' : 'required');
  const security = { none: 'none', required: 'starttls', implicit: 'tls' }[tls] as NamedRelay['security'] | undefined;
  if (!security) throw new TypeError(`${which}: tls is none, required or implicit`);
  const connections = Number(options.get('connections') ?? MAX_CONNECTIONS);
  if (!Number.isInteger(connections) || connections < 1) throw new TypeError(`${which}: connections is a whole number`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (security === 'tls' ? 465 : security === 'starttls' ? 587 : 25));
  return {
    relay: `${host}:${port}`,
    host,
    port,
    security,
    ...(url.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    name: options.get('name') ?? ownName,
    maxConnections: connections,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    silenceTimeoutMs: SILENCE_TIMEOUT_MS,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
    queueTimeoutMs: QUEUE_TIMEOUT_MS,
  };
}
