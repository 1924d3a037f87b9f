import { gitEnvironment, gitSettingsFor, OLD_GIT } from '../../infrastructure/git/git-environment.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';

/** Where a pod finds the files of {@link gitFiles}. */
export const PLAN = '/plan';

/** What pods that run git find in their Secret. */
export const gitFiles = (remote: PinnedRemote): Record<string, string> => ({
  'repository-url': remote.url,
  gitconfig: gitSettingsFor(remote),
});

/** The environment of git in a pod. The address comes from the Secret: it may hold a token. */
export const gitVariables = (secretName: string, remote: PinnedRemote, allowFiles: boolean) => [
  { name: 'URL', valueFrom: { secretKeyRef: { name: secretName, key: 'repository-url' } } },
  { name: 'HOME', value: '/tmp' },
  ...Object.entries(gitEnvironment(`${PLAN}/gitconfig`, remote, allowFiles)).map(([name, value]) => ({ name, value })),
];

/** Begins the script of a pod whose connections are pinned. */
export const requirePinning = ({ curlResolve }: PinnedRemote): string =>
  curlResolve === undefined
    ? ''
    : `case "$(git version)" in
"git version 1."* | "git version 2."[0-9].* | "git version 2."[12][0-9].* | "git version 2.3"[0-6].*) echo '${OLD_GIT}' >&2; exit 1 ;;
esac
`;
