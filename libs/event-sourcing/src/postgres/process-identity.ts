import { readFileSync, readlinkSync } from 'node:fs';

interface ProcessIdentity {
  /** The running kernel and the namespace of process ids, in which an id belongs to one process at a time. */
  readonly where: string;
  readonly pid: number;
  /** In ticks since the boot; a process with the same id later has another one. */
  readonly startedAt: string;
}

const FORM = /^([0-9a-f-]{36} pid:\[\d+\]) ([1-9]\d{0,9}) (\d+)$/;

const startOf = (pid: number | 'self'): string | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and can contain any character.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
};

/** This process, as `isDead` reads it, even after its end; undefined where the kernel does not tell. */
export const identityOfThisProcess = (): string | undefined => {
  try {
    // Otherwise /proc shows the process ids of another namespace.
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const identity = `${boot} ${readlinkSync('/proc/self/ns/pid')} ${process.pid} ${startOf('self')}`;
    return FORM.test(identity) ? identity : undefined;
  } catch {
    return undefined;
  }
};

const parsed = (identity: string): ProcessIdentity | undefined => {
  const [, where, pid, startedAt] = FORM.exec(identity) ?? [];
  return where && startedAt ? { where, pid: Number(pid), startedAt } : undefined;
};

/** Whether this kernel confirms that a process has ended: false for a process of another machine, boot or container. */
export const isDead = (identity: string, own = identityOfThisProcess() ?? ''): boolean => {
  const [other, self] = [parsed(identity), parsed(own)];
  if (!other || other.where !== self?.where) return false;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // In contrast to a missing folder in /proc, which may be hidden.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const startedAt = startOf(other.pid);
  return startedAt !== undefined && startedAt !== other.startedAt;
};
