/** The address for display, without parts that could be credentials. */
export const displayedUrl = (url: string): string =>
  url.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1').replace(/[?#].*$/s, '');

/** The only message for anything but a response of a Git server: it does not reveal what responds at an address. */
export const cannotBeFetched = (url: string): string =>
  `the repository ${displayedUrl(url)} could not be fetched: check its address, and that it can be reached over the internet`;

/** How much of an error of git is shown to a user. */
export interface ErrorDisclosure {
  /** All errors, or only responses of a Git server. */
  readonly disclosesAllErrors: boolean;
}

/** The kind of credentials sent to the server, for the message about a refusal. */
export type SentCredentials = 'token' | 'ssh' | undefined;

/** A server can send any text and any amount of it; git itself writes a few lines at the end. */
const LAST_CHARACTERS = 65_536;

/** Translates an error of git to a message for the developer. */
export const describeGitError = (
  output: string,
  url: string,
  { disclosesAllErrors }: ErrorDisclosure,
  access?: SentCredentials,
): string => {
  const errors = output.slice(-LAST_CHARACTERS);
  const shown = displayedUrl(url);
  const host =
    /^[a-z]+:\/\/(?:[^/@]*@)?([^/:]+|\[[^\]]+\])/i.exec(url)?.[1] ?? /^[^@]+@([^:]+):/.exec(url)?.[1] ?? shown;
  const meanings = disclosesAllErrors || url.startsWith('file:') ? [...CONNECTIONS, ...ANSWERS, ...TRANSFERS] : ANSWERS;
  const meaning = meanings.find(([pattern]) => pattern.test(errors))?.[1];
  if (meaning) return meaning(shown, host, access);
  if (meanings === ANSWERS) return cannotBeFetched(url);
  const complaint = errors.split('\n').findLast(line => /^(?:fatal|error|ERROR|ssh):/.test(line.trim())) ?? errors;
  const reason = complaint
    .trim()
    .replaceAll(/(?<![a-z+])[a-z+]+:\/\/\S+/gi, displayedUrl)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
  return `the repository ${shown} could not be read: ${reason || 'git gave no reason'}`;
};

type Meaning = readonly [RegExp, (url: string, host: string, access: SentCredentials) => string];

const refusedAccess = (url: string, _host: string, access: SentCredentials): string => {
  if (access === 'token')
    return `the access token was refused for the repository ${url}: check that it is valid and may read the repository`;
  if (access === 'ssh')
    return `the deploy key was refused for the repository ${url}: add its public key to the repository`;
  return `the repository ${url} does not exist or is not public: if it is private, store an access token`;
};

const CONNECTIONS: readonly Meaning[] = [
  [
    /Could not resolve host(?:name)?|Name or service not known/i,
    (_, host) => `the host name ${host} could not be resolved`,
  ],
  [/Connection refused|Failed to connect|Couldn't connect/i, (_, host) => `${host} does not accept connections`],
];

const TRANSFERS: readonly Meaning[] = [
  [/Operation too slow|timed out|Timeout was reached/i, (_, host) => `${host} stopped responding`],
  [
    /early EOF|hung up unexpectedly|unexpected disconnect|RPC failed|Empty reply/i,
    (_, host) => `${host} ended the transfer before it was complete`,
  ],
];

/** Responses of Git servers, and errors of this machine. */
const ANSWERS: readonly Meaning[] = [
  [
    /unable to update url base from redirection|returned error: 30\d/i,
    url => `the repository ${url} leads to another address; enter that address instead`,
  ],
  [
    /SSL certificate problem|certificate verif\w+ failed|no alternative certificate subject name/i,
    (_, host) =>
      `the certificate of ${host} is not trusted: use a certificate of a public authority, or ask the operator to add the authority to the file in SSL_CERT_FILE`,
  ],
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/i,
    (_, host) => `the host key of ${host} has changed: if the server was replaced, create a new deploy key`,
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(publickey|Too many authentication failures|returned error: 40[13]/i,
    refusedAccess,
  ],
  [
    /not valid: is this a git repository|repository '.{0,4096}' not found|returned error: 404|does not appear to be a git repository|Repository not found/i,
    url => `there is no repository at ${url}`,
  ],
  [
    /Permission denied|unable to (?:open|read|access) .{0,4096}denied/i,
    url => `permission to read the repository ${url} was denied`,
  ],
  [/transport '.{0,100}' not allowed/i, url => `${url}: this kind of address is not allowed here`],
  [/No space left on device|Disk quota exceeded|File too large/i, url => `there is no space for the repository ${url}`],
  [
    /ssh: (?:command )?not found|cannot run ssh|No user exists for uid/i,
    () =>
      'repositories over SSH cannot be fetched on this machine: it needs the OpenSSH client and sandboxes. Use https:// with an access token',
  ],
  [/git 2\.37 or newer is needed/, () => 'repositories cannot be fetched: install git 2.37 or newer'],
];
