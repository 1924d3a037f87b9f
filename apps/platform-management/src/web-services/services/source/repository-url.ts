import { Refusal } from '@postern/contracts/refusal';

const FIELD = 'git_repository_url';
/** Letters, digits, dots and hyphens, with a letter or digit first, so that ssh cannot parse a host as an option. */
const HOST = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])$/;
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** `user@host:path`, the syntax of scp. */
const SCP = /^([^@:/]+)@([^@:/]+|\[[^\]]+\]):(.+)$/;
/** Git runs `git-remote-<transport>` for `<transport>::<address>`, and `ext::` runs any command. */
const REMOTE_HELPER = /^[^/:@]*::/;

export interface RepositoryRules {
  /** Allows `file://`, for a local start that serves repositories from its own disk. */
  readonly allowFiles: boolean;
}

/**
 * Validates the address of a Git repository from the owner of a web service.
 * @returns the address, unchanged: it is safe as an argument of git after `--`.
 * @throws Refusal `invalid_input` with a message that begins with the field's name.
 */
export function repositoryUrl(text: string, { allowFiles }: RepositoryRules): string {
  if (text.startsWith('-')) throw invalid('must not begin with -');
  if (!/^[!-~]+$/.test(text)) throw invalid('must be printable ASCII without spaces and control characters');
  if (/%(?:[01][0-9a-f]|7f)/i.test(text)) throw invalid('must not contain encoded control characters');
  if (text.includes('\\')) throw invalid('must not contain backslashes');
  if (REMOTE_HELPER.test(text)) throw invalid('remote helpers (<transport>::<address>) are not allowed');
  const scheme = /^([a-z]+):\/\//.exec(text)?.[1];
  switch (scheme) {
    case 'https':
    case 'http':
      return webAddress(text);
    case 'ssh':
      return sshAddress(text);
    case 'file':
      return fileAddress(text, allowFiles);
    case undefined:
      return scpAddress(text);
    default:
      throw invalid(`${scheme}:// is not supported; https://, http://, ssh:// and git@host:path are`);
  }
}

function webAddress(text: string): string {
  const url = parse(text);
  // The URL parser is lenient: it drops an empty user name, and takes the host from the path if there is none.
  const authority = /^https?:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  if (authority.includes('@')) throw invalid('must not contain a user name or password');
  if (authority === '' || !HOST.test(url.hostname)) throw invalid('has no valid host');
  if (text.includes('#')) throw invalid('must not contain a fragment');
  return text;
}

function sshAddress(text: string): string {
  const url = parse(text);
  if (url.password || /^ssh:\/\/[^/]*:[^/]*@/.test(text)) throw invalid('must not contain a password');
  if (url.username && !USER.test(url.username)) throw invalid('has an invalid user name');
  if (!HOST.test(url.hostname)) throw invalid('has no valid host');
  if (url.pathname.length < 2 || url.pathname.startsWith('/-') || url.search || text.includes('#'))
    throw invalid('has no repository path');
  return text;
}

function scpAddress(text: string): string {
  const [, user, host, path] = SCP.exec(text) ?? [];
  if (user === undefined || host === undefined || path === undefined)
    throw invalid('must be https://, http://, ssh:// or git@host:path');
  if (!USER.test(user)) throw invalid('has an invalid user name');
  if (!HOST.test(host)) throw invalid('has no valid host');
  if (path.startsWith('-') || path.startsWith(':')) throw invalid('has no repository path');
  return text;
}

function fileAddress(text: string, allowed: boolean): string {
  if (!allowed) throw invalid('file:// is not allowed here');
  const url = parse(text);
  if (url.host !== '' || url.pathname.length < 2 || url.search || text.includes('#'))
    throw invalid('must be file:/// and an absolute path');
  return text;
}

function parse(text: string): URL {
  if (!URL.canParse(text)) throw invalid('is not an address');
  return new URL(text);
}

const invalid = (reason: string): Refusal => new Refusal('invalid_input', `${FIELD}: ${reason}`);
