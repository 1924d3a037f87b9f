import { TAKE_ENVIRONMENT } from './handed-environment.js';
import type { ProcessEntry } from './process-table.js';

/**
 * Runs between the platform and the process of the service, and outlives the platform: it holds the pipes open, and
 * writes the exit status again and again to a pipe of its own. It ignores SIGTERM, which goes to the whole group.
 */
const SHIM = `trap : TERM INT HUP
{ "$@" 2>&4 3>&- 4>&-; status=$?; while :; do echo $status >&3; sleep 1; done; } 4>&2 2>/dev/null`;

/** A shell anew, so that its environment in /proc is the one that it was handed. */
const SCRIPT = `${TAKE_ENVIRONMENT}\nexec /bin/sh -c '${SHIM}' postern-instance "$@"`;

/** The command that runs this one behind the shim. It reads its environment from stdin. */
export const behindShim = (argv: readonly string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  SCRIPT,
  'postern-instance',
  ...argv,
];

/**
 * The processes of the service. The shim leads the group, or is the first process that the leader's sandbox has started;
 * its pauses are none of the service either.
 */
export const withoutShim = (
  members: readonly ProcessEntry[],
  leader: number,
  isBoxed: boolean,
): readonly ProcessEntry[] => {
  const firstChildOf = (parent: number | undefined) =>
    members
      .filter(member => member.parent === parent)
      .sort((one, other) => Number(one.startTime) - Number(other.startTime) || one.pid - other.pid)[0]?.pid;
  const first = isBoxed ? firstChildOf(leader) : undefined;
  const shim = first === undefined ? leader : firstChildOf(first);
  return members.filter(({ pid, parent }) => ![leader, first, shim].includes(pid) && parent !== shim);
};
