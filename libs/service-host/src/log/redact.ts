/** A local part, quoted as in JSON or not, and a domain whose top label may be an A-label, or an address literal. */
const ADDRESS =
  /(?:\\"(?:[^"\\]|\\.){1,200}\\"|[^\s"<>@,;:()\\/[\]]{1,64})@((?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}(?:xn--[a-z0-9-]{1,59}|[\p{L}\p{M}]{2,63})|\[[0-9a-f.:]{2,45}\]|\[IPv6:[0-9a-f.:]{2,45}\])/giu;
const URL_PASSWORD = /(:\/\/[^\s:@/"]{0,64}:)[^\s@/"]{1,256}@/g;
const KEY = /\b(em_live_|ak_live_|whsec_)[A-Za-z0-9+/=_-]+/g;

/** Fields whose values are never logged, up to two levels deep. */
const SECRET_FIELDS = [
  'password',
  'secret',
  'token',
  'key',
  'api_key',
  'apiKey',
  'authorization',
  'cookie',
  'html',
  'text',
  'body',
  'payload',
];

/** PostgreSQL puts the whole row into the detail of an error. */
const REFUSED_ROWS = ['err.detail', 'err.aggregateErrors[*].detail'];

export const REDACTED_PATHS = [
  ...SECRET_FIELDS.flatMap(field => [field, `*.${field}`, `*.*.${field}`]),
  ...REFUSED_ROWS,
];

/** Removes local parts of addresses, passwords in URLs and keys of Postern from a log line. */
export const redactLine = (line: string): string => {
  const withoutKeys = line.replace(KEY, '$1…');
  return withoutKeys.includes('@') ? withoutKeys.replace(URL_PASSWORD, '$1…@').replace(ADDRESS, '…@$1') : withoutKeys;
};
