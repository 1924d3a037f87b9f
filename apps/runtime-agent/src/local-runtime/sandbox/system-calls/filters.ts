import {
  always,
  ERRNO,
  encoded,
  filterProgram,
  type Instruction,
  notValues,
  onlyValues,
  withoutBits,
} from './bpf-program.js';
import { type Architecture, AUDIT, type CallName, NEWEST_CALL, numberOf } from './call-numbers.js';

/**
 * `application`: code of tenants. `image build`: a container tool as root of a user namespace, which has to mount file systems and
 * to create namespaces.
 */
export type FilterKind = 'application' | 'image build';

/** Parts of the kernel that belong to the machine, or that can reach into other processes: no program of a tenant needs them. */
const REFUSED: readonly CallName[] = [
  ...(['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'bpf', 'userfaultfd', 'perf_event_open'] as const),
  ...(['add_key', 'request_key', 'keyctl', 'fanotify_init', 'open_by_handle_at', 'lookup_dcookie'] as const),
  ...(['kexec_load', 'kexec_file_load', 'reboot', 'swapon', 'swapoff', 'acct', 'syslog', 'vhangup'] as const),
  ...(['init_module', 'finit_module', 'delete_module', 'create_module', 'query_module', 'get_kernel_syms'] as const),
  ...(['process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd', 'migrate_pages', 'move_pages'] as const),
  ...(['quotactl', 'quotactl_fd', 'nfsservctl', 'settimeofday', 'clock_settime', 'clock_adjtime'] as const),
  ...(['iopl', 'ioperm', 'modify_ldt', 'uselib', 'ustat', 'sysfs', '_sysctl'] as const),
];

const NAMESPACES_AND_MOUNTS: readonly CallName[] = [
  ...(['mount', 'umount2', 'pivot_root', 'open_tree', 'move_mount', 'fsopen', 'fsconfig', 'fsmount'] as const),
  ...(['fspick', 'mount_setattr', 'setns', 'sethostname', 'setdomainname'] as const),
];

/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK. Others, such as AF_VSOCK and AF_PACKET, can pass by network namespaces. */
const FAMILIES = [1, 2, 10, 16];
/** The `CLONE_NEW*` flags. */
const NEW_NAMESPACES = 0x7e020000;
/** CLONE_NEWTIME; for clone the same bit is part of a signal. */
const NEW_TIME = 0x80;
/** PTRACE_ATTACH and PTRACE_SEIZE; a process that asks its parent to trace it may do so. */
const ATTACH = [16, 0x4206];
/** PER_LINUX and PER_LINUX32, each also with UNAME26, and the query of the current one. */
const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0xffffffff];

const refusedTo = (kind: FilterKind): readonly CallName[] =>
  kind === 'image build' ? REFUSED : [...REFUSED, ...NAMESPACES_AND_MOUNTS];

/** The calls that are allowed with some arguments only. */
const checkedFor = (kind: FilterKind): ReadonlyMap<CallName, readonly Instruction[]> =>
  new Map<CallName, readonly Instruction[]>([
    ['socket', onlyValues(0, FAMILIES, ERRNO.EAFNOSUPPORT)],
    ['socketpair', onlyValues(0, FAMILIES, ERRNO.EAFNOSUPPORT)],
    ['ptrace', notValues(0, ATTACH, ERRNO.EPERM)],
    ['personality', onlyValues(0, PERSONALITIES, ERRNO.EPERM)],
    ...(kind === 'image build'
      ? []
      : ([
          // Without namespaces it separates threads. `unshare --root`, which starts programs of images, uses it with no flag at all.
          ['unshare', withoutBits(0, NEW_NAMESPACES | NEW_TIME, ERRNO.EPERM)],
          ['clone', withoutBits(0, NEW_NAMESPACES, ERRNO.EPERM)],
          // A filter cannot read its flags, which are in memory; the C library then uses clone.
          ['clone3', always(ERRNO.ENOSYS)],
        ] as const)),
  ]);

export const programOf = (kind: FilterKind, architecture: Architecture): readonly Instruction[] =>
  filterProgram({
    architecture: AUDIT[architecture],
    newest: NEWEST_CALL,
    refused: refusedTo(kind).flatMap(name => numberOf(name, architecture) ?? []),
    calls: new Map(
      [...checkedFor(kind)].flatMap(([name, block]) => {
        const number = numberOf(name, architecture);
        return number === undefined ? [] : [[number, block] as const];
      }),
    ),
  });

export const filterOf = (kind: FilterKind, architecture: Architecture): Buffer =>
  encoded(programOf(kind, architecture));
