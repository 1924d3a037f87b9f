import type { ProcessEntry } from '../../infrastructure/process-table.js';
import { TAKE_ENVIRONMENT } from './handed-environment.js';

/**
 * Runs the process of the service and outlives Postern. It keeps the pipes open and writes the exit status repeatedly
 * to the exit pipe. It ignores SIGTERM, which is sent to the whole process group.
 */
const SHIM = `trap : TERM INT HUP
{ "$@" 2>&4 3>&- 4>&-; status=$?; while :; do echo $status >&3; sleep 1; done; } 4>&2 2>/dev/null`;

/** Starts a new shell, so that its environment in /proc is the one from stdin. */
const SCRIPT = `${TAKE_ENVIRONMENT}\nexec /bin/sh -c '${SHIM}' postern-instance "$@"`;

/** Wraps a command with the shim. The result reads its environment from stdin. */
export const behindShim = (argv: readonly string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  SCRIPT,
  'postern-instance',
  ...argv,
];

/**
 * The processes of the service, once its main process has ended: without the shim, its children (`sleep`) and the
 * processes above it. The shim leads the group, or is the first grandchild of the leader with namespaces.
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
