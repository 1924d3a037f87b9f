/** Inspects a container from inside: user, permissions, and reachable addresses. */
import { demand } from '../../../docker/check/report.mjs';

const STATUS = ['Uid', 'Gid', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp'];
/** Writes to the root and to /tmp, and checks for a token, from inside. */
export const PROBE = `
cat /proc/1/status
touch /probe 2>/dev/null && echo root=writable || echo root=read-only
touch /tmp/probe && echo tmp=writable || echo tmp=read-only
test -e /var/run/secrets/kubernetes.io && echo token=present || echo token=absent
`;

export const asFields = output => {
  const fields = Object.fromEntries(
    [...output.matchAll(/^(\w+)[:=]\s*(.+)$/gm)].map(([, key, value]) => [key, value.split(/\s/)[0]]),
  );
  return Object.fromEntries([...STATUS, 'root', 'tmp', 'token'].map(key => [key, fields[key]]));
};

const NONE = '0000000000000000';

/** Expected state of a pod under the restricted pod security standard with a read-only root file system. */
export const demandRestricted = (pod, found, { user, token }) => {
  const details = JSON.stringify(found);
  demand(`${pod} runs as user ${user}`, found.Uid === user && found.Gid === user, details);
  demand(
    `${pod} has no capabilities and cannot gain any`,
    found.CapEff === NONE && found.CapBnd === NONE && found.NoNewPrivs === '1',
    details,
  );
  demand(`${pod} is behind a seccomp filter`, found.Seccomp === '2', details);
  demand(
    `${pod} can write to /tmp and not to its image`,
    found.root === 'read-only' && found.tmp === 'writable',
    details,
  );
  demand(
    `${pod} has ${token === 'present' ? 'the token of its account' : 'no token of Kubernetes'}`,
    found.token === token,
    details,
  );
};

/** Rootless BuildKit needs programs with file capabilities, and system calls that the default seccomp profile blocks. */
export const demandUnprivileged = (pod, found) => {
  const details = JSON.stringify(found);
  demand(`${pod} is not root, and has no capabilities`, found.Uid !== '0' && found.CapEff === NONE, details);
  demand(`${pod} has no token of Kubernetes`, found.token === 'absent', details);
};

/**
 * Policies reject connections actively, so a timeout is printed as such. A timeout is retried once, because the rules of a new
 * pod may change during the first attempt.
 */
const connect = ([target, host, port]) => `{
  for try in 1 2; do
    timeout 15 bash -c 'exec 3<>/dev/tcp/${host}/${port}' 2> /dev/null
    result=$?
    [ $result = 124 ] || break
  done
  case $result in 0) echo 'reached=${target}' ;; 124) echo 'reached=${target} (no answer)' ;; esac
} &`;

/** @returns {string} a script of bash that prints which targets, `[name, host, port]`, accept a connection. */
export const reachScript = targets => `${targets.map(connect).join('\n')}\nwait\n`;

/** @returns {string[]} their names. */
export const reachedIn = output => [...output.matchAll(/^reached=(.*)$/gm)].map(([, target]) => target).toSorted();
