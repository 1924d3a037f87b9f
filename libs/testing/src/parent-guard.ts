import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

const script = `
pid= signal=
while read -r word first second; do
  case "$word" in
    watch) pid=$first signal=$second ;;
    forget) pid= ;;
    release) exit 0 ;;
  esac
done
if [ -n "$pid" ]; then
  kill -s "$signal" "$pid" 2>/dev/null
  tries=0
  while kill -0 "$pid" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -s KILL "$pid" 2>/dev/null
fi
[ -z "$1" ] || rm -rf -- "$1"
`;

/**
 * A small shell that outlives this process just long enough to end what this process started. It reads from a pipe that
 * only this process holds: the pipe closes however this process ends, kill -9 included, on every POSIX system.
 * (The kernel's own death signal exists on Linux only.)
 */
export interface ParentGuard {
  readonly shell: ChildProcess;
}

/** Starts a guard; `removeDir` is deleted when this process ends without having released the guard. */
export function startParentGuard(removeDir = ''): ParentGuard {
  // In a session of its own, because Ctrl-C in a terminal goes to the whole foreground group.
  const shell = spawn('/bin/sh', ['-c', script, 'postern-guard', removeDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // Neither the guard nor its pipe may keep the event loop alive.
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return { shell };
}

/** From now on `pid` receives `signal` (and SIGKILL ten seconds later) when this process ends. */
export function watchProcess(guard: ParentGuard, pid: number, signal: 'INT' | 'TERM' | 'QUIT' | 'KILL'): void {
  guard.shell.stdin?.write(`watch ${pid} ${signal}\n`);
}

/** The watched process has ended; its id may belong to somebody else from now on. */
export function forgetProcess(guard: ParentGuard): void {
  guard.shell.stdin?.write('forget\n');
}

/** Ends the guard without any effect. */
export function releaseGuard(guard: ParentGuard): void {
  guard.shell.stdin?.end('release\n');
}

/** Resolves when the child has ended, and keeps this process alive until then, though the child itself does not. */
export async function untilExit(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await once(child, 'exit');
}
