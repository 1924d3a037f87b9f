import { GIT_SETTINGS } from './git-settings.js';
import type { PinnedRemote } from './pinned-remotes.js';
import { ACCESS_VARIABLE, accessSettings, type GitPaths, sshCommand } from './remote-access.js';

/** Variables that prevent git from running other programs and prompting, and allow only the protocols of repositories. */
export const gitEnvironment = (
  paths: GitPaths,
  remote: Pick<PinnedRemote, 'sshOptions' | 'access'>,
  allowFiles: boolean,
): Record<string, string> => ({
  // Error messages are matched in English.
  LC_ALL: 'C.UTF-8',
  LANGUAGE: 'en',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: paths.settings,
  GIT_ALLOW_PROTOCOL: `https:http:ssh${allowFiles ? ':file' : ''}`,
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_SSH_VARIANT: 'ssh',
  GIT_SSH_COMMAND: sshCommand(remote),
  ...(remote.access && { [ACCESS_VARIABLE]: paths.access }),
});

/** The settings file for one repository: pins its connections to the checked addresses, and provides its token. */
export const gitSettingsFor = ({ curlResolve, access }: Pick<PinnedRemote, 'curlResolve' | 'access'>): string =>
  GIT_SETTINGS +
  accessSettings(access) +
  (curlResolve === undefined ? '' : `[http]\n\tcurloptResolve = "${curlResolve}"\n`);

/** Older versions of git ignore `http.curloptResolve`, and would resolve the host again. */
export const OLDEST_GIT = { major: 2, minor: 37 };

/** The error message for versions older than {@link OLDEST_GIT}, in the format of git. */
export const OLD_GIT = 'fatal: git 2.37 or newer is needed';

/** @param version the output of `git version`. */
export const canPin = (version: string): boolean => {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > OLDEST_GIT.major || (Number(major) === OLDEST_GIT.major && Number(minor) >= OLDEST_GIT.minor);
};
