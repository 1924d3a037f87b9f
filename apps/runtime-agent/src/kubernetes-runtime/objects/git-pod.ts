import { gitEnvironment, gitSettingsFor, OLD_GIT } from '../../infrastructure/git/git-environment.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import { ACCESS_VARIABLE, accessFiles, KNOWN_HOSTS_FILE } from '../../infrastructure/git/remote-access.js';

/** The folder with the {@link gitFiles} in a pod. */
export const PLAN = '/plan';
const ACCESS = '/access';
const ACCESS_VOLUME = 'access';
/** Prefix of output lines with host keys, which are not branches. */
const HOST_KEY = 'postern-host-key ';

/** The files in the Secret of pods that run git. */
export const gitFiles = (remote: PinnedRemote): Record<string, string> => ({
  'repository-url': remote.url,
  gitconfig: gitSettingsFor(remote),
  ...accessFiles(remote.access),
});

/** The credentials of the remote, only for the container that runs git. */
export const accessMounts = ({ access }: PinnedRemote) =>
  access ? [{ name: ACCESS_VOLUME, mountPath: ACCESS, readOnly: true }] : [];

export const accessVolumes = (secretName: string, { access }: PinnedRemote) =>
  access
    ? [
        {
          name: ACCESS_VOLUME,
          secret: { secretName, items: Object.keys(accessFiles(access)).map(key => ({ key, path: key })) },
        },
      ]
    : [];

/** Copies the credentials, because ssh writes to known hosts and refuses a key that other users can read. */
export const prepareAccess = ({ access }: PinnedRemote): string =>
  access
    ? `given=$${ACCESS_VARIABLE}
${ACCESS_VARIABLE}=$(mktemp -d)
trap 'rm -rf "$${ACCESS_VARIABLE}"' EXIT
for name in ${Object.keys(accessFiles(access)).join(' ')}; do
  cat "$given/$name" > "$${ACCESS_VARIABLE}/$name"
  chmod 600 "$${ACCESS_VARIABLE}/$name"
done
`
    : '';

/** Prints the known hosts file after git has connected. */
export const printHostKeys = ({ access }: PinnedRemote): string =>
  access?.kind === 'ssh' ? `sed 's/^/${HOST_KEY}/' "$${ACCESS_VARIABLE}/${KNOWN_HOSTS_FILE}"\n` : '';

/** The lines of {@link printHostKeys}, in the format of `known_hosts`. */
export const printedHostKeys = (output: string): string =>
  output
    .split('\n')
    .filter(line => line.startsWith(HOST_KEY))
    .map(line => `${line.slice(HOST_KEY.length)}\n`)
    .join('');

/** The environment of git in a pod. The address comes from the Secret, because it may contain a token. */
export const gitVariables = (secretName: string, remote: PinnedRemote, allowFiles: boolean) => [
  { name: 'URL', valueFrom: { secretKeyRef: { name: secretName, key: 'repository-url' } } },
  { name: 'HOME', value: '/tmp' },
  ...Object.entries(gitEnvironment({ settings: `${PLAN}/gitconfig`, access: ACCESS }, remote, allowFiles)).map(
    ([name, value]) => ({ name, value }),
  ),
];

/** The first lines of the script of a pod with pinned connections. */
export const requirePinning = ({ curlResolve }: PinnedRemote): string =>
  curlResolve === undefined
    ? ''
    : `case "$(git version)" in
"git version 1."* | "git version 2."[0-9].* | "git version 2."[12][0-9].* | "git version 2.3"[0-6].*) echo '${OLD_GIT}' >&2; exit 1 ;;
esac
`;
