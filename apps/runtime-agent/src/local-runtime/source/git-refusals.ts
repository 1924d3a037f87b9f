/** The address as people may see it: without whatever could be a credential. */
export const displayedUrl = (url: string): string =>
  url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1').replace(/[?#].*$/, '');

/** The meaning of an error of git, as a message for the developer. */
export const inWords = (errors: string, url: string): string => {
  const shown = displayedUrl(url);
  const host =
    /^[a-z]+:\/\/(?:[^/@]*@)?([^/:]+|\[[^\]]+\])/i.exec(url)?.[1] ?? /^[^@]+@([^:]+):/.exec(url)?.[1] ?? shown;
  const meaning = MEANINGS.find(([pattern]) => pattern.test(errors))?.[1];
  if (meaning) return meaning(shown, host);
  const complaint = errors.split('\n').findLast(line => /^(?:fatal|error|ERROR|ssh):/.test(line.trim())) ?? errors;
  const words = complaint
    .trim()
    .replaceAll(/[a-z+]+:\/\/\S+/gi, displayedUrl)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
  return `the repository ${shown} could not be read: ${words || 'git gave no reason'}`;
};

const MEANINGS: readonly (readonly [RegExp, (url: string, host: string) => string])[] = [
  [/Could not resolve host(?:name)?|Name or service not known/i, (_, host) => `the host ${host} is not known`],
  [/Connection refused|Failed to connect|Couldn't connect/i, (_, host) => `nothing answers at ${host}`],
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(publickey|returned error: 40[13]|Host key verification failed/i,
    url => `the repository ${url} is not there, or not open to everybody`,
  ],
  [
    /not valid: is this a git repository|repository '.*' not found|returned error: 404|does not appear to be a git repository|Repository not found/i,
    url => `there is no repository at ${url}`,
  ],
  [/Permission denied|unable to (?:open|read|access) .*(?:denied)/i, url => `the repository ${url} may not be read`],
  [/transport '.*' not allowed/i, url => `${url}: this kind of address is not allowed here`],
  [/Operation too slow|timed out|Timeout was reached/i, (_, host) => `${host} stopped answering`],
  [
    /early EOF|hung up unexpectedly|unexpected disconnect|RPC failed|Empty reply/i,
    (_, host) => `${host} ended the transfer before it was complete`,
  ],
  [/No space left on device|Disk quota exceeded|File too large/i, url => `there is no space for the repository ${url}`],
  [/unable to update url base from redirection|redirect/i, url => `the repository ${url} leads to another address`],
];
