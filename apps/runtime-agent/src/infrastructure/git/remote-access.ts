import { knownHostsOf } from './known-hosts.js';
import type { PinnedRemote } from './pinned-remotes.js';

/** Credentials of git for one repository only. */
export type RemoteAccess =
  | {
      readonly kind: 'token';
      /** Scheme, host and port of the only server that gets the token. */
      readonly origin: string;
      readonly username: string;
      readonly token: string;
    }
  | {
      readonly kind: 'ssh';
      /** In the OpenSSH format. */
      readonly privateKey: string;
      /** The name of the server in `known_hosts`. */
      readonly hostKeyName: string;
      /** Lines of `known_hosts` about the server; empty before the first connection. */
      readonly knownHosts: string;
    };

/** The settings file of git, and the folder with the files of {@link accessFiles}. */
export interface GitPaths {
  readonly settings: string;
  readonly access: string;
}

/** The variable with the path of the folder; commands refer to it, so that they do not depend on the path. */
export const ACCESS_VARIABLE = 'POSTERN_GIT_ACCESS';

const TOKEN_FILE = 'git-token';
const KEY_FILE = 'ssh-key';
/** Writable: ssh adds the key of a server at the first connection. */
export const KNOWN_HOSTS_FILE = 'known-hosts';

/** Files by name; only the processes of one fetch may read them. */
export const accessFiles = (access: RemoteAccess | undefined): Readonly<Record<string, string>> => {
  if (access?.kind === 'token') return { [TOKEN_FILE]: `username=${access.username}\npassword=${access.token}\n` };
  return access ? { [KEY_FILE]: access.privateKey, [KNOWN_HOSTS_FILE]: access.knownHosts } : {};
};

/** Settings that make git read a token from its file, for one server only. */
export const accessSettings = (access: RemoteAccess | undefined): string =>
  access?.kind === 'token'
    ? `[credential "${access.origin}"]\n\thelper = "!f() { if test \\"$1\\" = get; then cat \\"$${ACCESS_VARIABLE}/${TOKEN_FILE}\\"; fi; }; f"\n`
    : '';

/** The command with which git connects over SSH; `false` for remotes of other protocols. */
export const sshCommand = ({ access, sshOptions }: Pick<PinnedRemote, 'access' | 'sshOptions'>): string => {
  if (access?.kind !== 'ssh') return '/bin/false';
  const options = [
    'BatchMode=yes',
    'ConnectTimeout=15',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'ForwardAgent=no',
    'ControlMaster=no',
    'GlobalKnownHostsFile=/dev/null',
    'HashKnownHosts=no',
    'UpdateHostKeys=no',
    `StrictHostKeyChecking=${access.knownHosts === '' ? 'accept-new' : 'yes'}`,
  ].flatMap(option => ['-o', option]);
  const fileOption = (option: string, name: string) => `-o "${option}=\\"$${ACCESS_VARIABLE}/${name}\\""`;
  return [
    ...['ssh', '-F', 'none', ...options, ...sshOptions].map(shellWord),
    fileOption('IdentityFile', KEY_FILE),
    fileOption('UserKnownHostsFile', KNOWN_HOSTS_FILE),
  ].join(' ');
};

/** The lines that ssh has added to `known_hosts` at the first connection to a server. */
export const newHostKeys = (access: RemoteAccess | undefined, knownHosts: string): string | undefined => {
  if (access?.kind !== 'ssh' || access.knownHosts !== '') return undefined;
  return knownHostsOf(access.hostKeyName, knownHosts) || undefined;
};

/** Removes the token from output of git or a server, also in the encoding of HTTP. */
export const withoutToken = (text: string, access: RemoteAccess | undefined): string => {
  if (access?.kind !== 'token') return text;
  const { username, token } = access;
  const encoded = Buffer.from(`${username}:${token}`).toString('base64');
  return [encoded, token].reduce((rest, secret) => rest.replaceAll(secret, '********'), text);
};

/** Quotes a word, because git runs the command in a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
