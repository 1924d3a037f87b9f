import { type createLogDrain, type LogDrainKind, Refusal, type RequestOf } from '@postern/contracts';
import { acceptEndpointUrl, type EndpointProtocols, InvalidEndpointUrl, type OutboundGuard } from '@postern/outbound';

/** Where lines are sent, with its secrets. Stored encrypted. */
export interface DrainTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PROTOCOLS: Readonly<Record<LogDrainKind, EndpointProtocols>> = {
  syslog: { secure: 'syslog+tls:' },
  https: { secure: 'https:', plain: 'http:' },
  otlp: { secure: 'https:', plain: 'http:' },
};

/** Checks what the user entered. Refuses `invalid_url` and `invalid_input`. */
export const acceptTarget = async (
  { kind, url: text, headers = {}, token }: RequestOf<typeof createLogDrain>,
  guard: OutboundGuard,
): Promise<DrainTarget> => {
  const names = Object.keys(headers).map(name => name.toLowerCase());
  if (kind === 'syslog' && (names.length > 0 || token !== undefined))
    throw new Refusal(
      'invalid_input',
      `${token === undefined ? 'headers' : 'token'}: syslog has no headers; leave it out`,
    );
  if (token !== undefined && names.includes('authorization'))
    throw new Refusal('invalid_input', 'token: give either the token or the header Authorization');
  const url = await accepted(text, guard, PROTOCOLS[kind]);
  if (kind === 'syslog' && (!/^\/?$/.test(url.pathname) || url.search !== ''))
    throw new Refusal('invalid_url', 'url: must be syslog+tls://host:port without a path');
  return { url: url.href, headers: { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) } };
};

/** The URL with its query values masked, because receivers expect keys there. */
export const shownUrlOf = ({ url }: DrainTarget): string => {
  const [base = '', query] = url.split('?', 2);
  return query === undefined ? base : `${base}?${query.replace(/=[^&]*/g, '=********')}`;
};

/** Values that an error must not repeat: headers, the token in them, and the values of the query. */
export const secretsOf = ({ url, headers }: DrainTarget): readonly string[] => {
  const values = Object.values(headers);
  return [...values, ...values.map(value => value.replace(/^\S+ /, '')), ...new URL(url).searchParams.values()].filter(
    value => value.length > 0,
  );
};

const accepted = async (text: string, guard: OutboundGuard, protocols: EndpointProtocols): Promise<URL> => {
  try {
    return await acceptEndpointUrl(text, guard, protocols);
  } catch (error) {
    if (error instanceof InvalidEndpointUrl) throw new Refusal('invalid_url', `url: ${error.message}`);
    throw error;
  }
};
