import { GIT_SETTINGS } from './git-settings.js';
import type { PinnedRemote } from './pinned-remotes.js';

/** Variables that let git run no program, ask nothing, and speak only the protocols of repositories. */
export const gitEnvironment = (
  settingsFile: string,
  { sshOptions }: Pick<PinnedRemote, 'sshOptions'>,
  allowFiles: boolean,
): Record<string, string> => ({
  // Error messages are looked for in English.
  LC_ALL: 'C.UTF-8',
  LANGUAGE: 'en',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: settingsFile,
  GIT_ALLOW_PROTOCOL: `https:http:ssh${allowFiles ? ':file' : ''}`,
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_SSH_COMMAND: [
    'ssh -o BatchMode=yes -o ConnectTimeout=15 -o StrictHostKeyChecking=accept-new',
    ...sshOptions,
  ].join(' '),
});

/** The settings file for one repository: its connections go to the addresses that were checked. */
export const gitSettingsFor = ({ curlResolve }: Pick<PinnedRemote, 'curlResolve'>): string =>
  curlResolve === undefined ? GIT_SETTINGS : `${GIT_SETTINGS}[http]\n\tcurloptResolve = "${curlResolve}"\n`;

/** An older git ignores `http.curloptResolve`, and would resolve the host again. */
export const OLDEST_GIT = { major: 2, minor: 37 };

/** The words of {@link OLDEST_GIT}, as git would say them. */
export const OLD_GIT = 'fatal: git 2.37 or newer is needed';

/** @param version what `git version` prints. */
export const canPin = (version: string): boolean => {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > OLDEST_GIT.major || (Number(major) === OLDEST_GIT.major && Number(minor) >= OLDEST_GIT.minor);
};
