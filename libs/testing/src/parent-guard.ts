import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

const script = `
remove=$1
shift
watched=
forget() {
  kept=
  for one in $watched; do [ "\${one%:*}" = "$1" ] || kept="$kept $one"; done
  watched=$kept
}
lives() {
  kill -0 "$1" 2>/dev/null || return 1
  [ -r "/proc/$1/stat" ] || return 0
  read -r stat < "/proc/$1/stat" || return 1
  case "$stat" in *') Z '*) return 1 ;; esac
}
while read -r word pid signal; do
  case "$word" in
    watch) forget "$pid"; watched="$watched $pid:$signal" ;;
    forget) forget "$pid" ;;
    release) exit 0 ;;
  esac
done
for one in $watched; do kill -s "\${one#*:}" "\${one%:*}" 2>/dev/null; done
tries=0
while [ "$tries" -lt 100 ]; do
  left=
  for one in $watched; do lives "\${one%:*}" && left=1; done
  [ -n "$left" ] || break
  sleep 0.1
  tries=$((tries + 1))
done
for one in $watched; do kill -s KILL "\${one%:*}" 2>/dev/null; done
[ $# -eq 0 ] || "$@"
[ -z "$remove" ] || rm -rf -- "$remove"
`;

/**
 * A small shell that ends the child processes of this process. It reads from a pipe that only this process holds, which
 * closes when the process ends in any way, including SIGKILL. (The death signal of the kernel exists only on Linux.)
 */
export interface ParentGuard {
  readonly shell: ChildProcess;
}

/** What a guard does after it has ended the watched processes, unless it was released. */
export interface ParentGuardOptions {
  /** A path to delete at the end. */
  readonly removePath?: string | undefined;
  /** A program with arguments to run. */
  readonly command?: readonly string[];
}

/** Starts a guard of this process. */
export function startParentGuard({ removePath = '', command = [] }: ParentGuardOptions = {}): ParentGuard {
  // In a separate session, because Ctrl-C in a terminal signals the whole foreground group.
  const shell = spawn('/bin/sh', ['-c', script, 'postern-guard', removePath, ...command], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // The guard and its pipe must not keep the event loop alive.
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return { shell };
}

/** `pid` receives `signal`, and SIGKILL ten seconds later, when this process ends. */
export function watchProcess(guard: ParentGuard, pid: number, signal: 'INT' | 'TERM' | 'QUIT' | 'CONT'): void {
  guard.shell.stdin?.write(`watch ${pid} ${signal}\n`);
}

/** The watched process has ended, and its id may be reused. */
export function forgetProcess(guard: ParentGuard, pid: number): void {
  guard.shell.stdin?.write(`forget ${pid}\n`);
}

/** Ends the guard without further effect. */
export function releaseGuard(guard: ParentGuard): void {
  guard.shell.stdin?.end('release\n');
}

/** Resolves when the child has ended, and keeps this process alive until then. */
export async function untilExit(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await once(child, 'exit');
}
