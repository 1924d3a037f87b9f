import { IMAGE } from './image-view.js';
import type { SandboxPrograms } from './sandbox-programs.js';

export interface SandboxOwner {
  readonly uid: number;
  readonly gid: number;
}

/** How many UIDs and GIDs a container image can use. */
export const IDS_OF_ROOT = 65_536;

const NO_PRIVILEGES = ['setpriv', '--no-new-privs', '--inh-caps=-all'];

/** Starts a command as the unprivileged user that creates the sandbox, who is root of the user namespace until then. */
export const asItself = (
  { unshare }: SandboxPrograms,
  { uid, gid }: SandboxOwner,
  argv: readonly string[],
): readonly string[] => [
  ...[unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
  ...[...NO_PRIVILEGES, '--', ...argv],
];

/**
 * Starts a command of an image as the owner, with the image as its root directory. Only root can start it. unshare reads no file
 * between the change of the root directory and the loss of all capabilities: the image could control its content.
 */
export const intoImage = (
  { unshare }: SandboxPrograms,
  { uid, gid }: SandboxOwner,
  argv: readonly string[],
): readonly string[] => [
  ...[...NO_PRIVILEGES, '--bounding-set=-all,+setuid,+setgid,+sys_chroot', '--'],
  ...[unshare, `--root=${IMAGE}`, `--setgid=${gid}`, `--setuid=${uid}`, '--'],
  ...argv,
];

/**
 * Enters a user namespace with IDs from "$3" on. The maps must be written from outside the namespace. Its first process, which is
 * still root outside, is killed before any other command starts.
 */
const ENTER_USERS = `unshare=$1 nsenter=$2 first=$3 count=$4; shift 4
"$unshare" --user -- sleep 60 </dev/null >/dev/null 2>&1 &
holder=$! tries=0
until echo "0 $first $count" 2>/dev/null >/proc/$holder/uid_map; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { echo "this machine has no range of user ids for builds" >&2; exit 125; }
  sleep 0.05
done
echo "0 $first $count" >/proc/$holder/gid_map || exit 125
exec "$nsenter" --user=/proc/$holder/ns/user --setuid=0 --setgid=0 -- /bin/sh -c 'kill -9 "$0" && exec "$@"' $holder "$unshare" --mount -- "$@"`;

/**
 * Starts a command as root of a user namespace, where it can mount file systems and change owners and users. Outside the namespace
 * it has the permissions of an unprivileged user. Only root can start it.
 * @param first the host ID of root in the namespace; the IDs after it are mapped too.
 */
export const asRootOfUsers = (
  { unshare, nsenter }: SandboxPrograms,
  first: number,
  argv: readonly string[],
): readonly string[] => {
  if (nsenter === undefined) throw new Error('this machine has no nsenter: install util-linux on it');
  return ['/bin/sh', '-c', ENTER_USERS, 'users', unshare, nsenter, String(first), String(IDS_OF_ROOT), ...argv];
};
