/** A local part, quoted as in JSON or not, and a domain whose top label may be an A-label, or an address literal. */
const ADDRESS =
  /(?:\\"(?:[^"\\]|\\.){1,200}\\"|[^\s"<>@,;:()\\/[\]]{1,64})@((?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,8}(?:xn--[a-z0-9-]{1,59}|[\p{L}\p{M}]{2,63})|\[[0-9a-f.:]{2,45}\]|\[IPv6:[0-9a-f.:]{2,45}\])/giu;
const URL_PASSWORD = /(:\/\/[^\s:@/"]{0,64}:)[^\s@/"]{1,256}@/g;
const KEY = /\b(em_live_|em_admin_|ak_live_|st_live_|dh_live_|whsec_|dhsec_)[A-Za-z0-9+/=_-]+/g;

/** Removes local parts of addresses, passwords in URLs and keys of Postern from a log line. */
export const redactLine = (line: string): string => {
  // Searching for a fixed text is much faster than matching a pattern.
  let withoutKeys = line;
  if (line.includes('_live_') || line.includes('sec_')) withoutKeys = withoutKeys.replace(KEY, '$1…');
  return withoutKeys.includes('@') ? withoutKeys.replace(URL_PASSWORD, '$1…@').replace(ADDRESS, '…@$1') : withoutKeys;
};
