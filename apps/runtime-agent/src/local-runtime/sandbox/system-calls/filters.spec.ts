import { describe, expect, it } from '@jest/globals';
import { ALLOW, ARCHITECTURE, ERRNO, NUMBER, OPERATION, REFUSE } from './bpf-program.js';
import { ARCHITECTURES, type Architecture, AUDIT, type CallName, numberOf } from './call-numbers.js';
import { type FilterKind, filterOf, programOf } from './filters.js';

/** Executes a filter as the kernel does. @returns 0 if the call is allowed, else the error number. */
const outcomeOf = (kind: FilterKind, architecture: Architecture, call: number, args: readonly number[] = []) => {
  const program = programOf(kind, architecture);
  const data = new Map([
    [NUMBER, call],
    [ARCHITECTURE, AUDIT[architecture]],
    ...args.map((value, index) => [16 + 8 * index, value >>> 0] as const),
  ]);
  let word = 0;
  for (let at = 0; at < program.length; at += 1) {
    const { code, ifTrue, ifFalse, value } = program[at]!;
    if (code === OPERATION.answer) return value === ALLOW ? 0 : value - REFUSE;
    if (code === OPERATION.load) word = data.get(value) ?? 0;
    else {
      const holds = {
        [OPERATION.isEqual]: word === value,
        [OPERATION.isAtLeast]: word >= value,
        [OPERATION.hasBits]: (word & value) !== 0,
      }[code];
      at += holds ? ifTrue : ifFalse;
    }
  }
  throw new Error('the filter has no answer');
};

const CLONE_NEWUSER = 0x10000000;
const THREAD = 0x3d0f00;
const MOUNTS: readonly CallName[] = ['mount', 'umount2', 'pivot_root', 'setns', 'fsopen', 'move_mount'];

describe.each(ARCHITECTURES)('The filters of system calls on %s', architecture => {
  const call = (name: CallName, args: readonly number[] = [], kind: FilterKind = 'application') =>
    outcomeOf(kind, architecture, numberOf(name, architecture)!, args);

  it.each<FilterKind>(['application', 'image build'])('refuse parts of the kernel that no program needs (%s)', kind => {
    const names: readonly CallName[] = [
      ...(['io_uring_setup', 'bpf', 'keyctl', 'add_key', 'request_key', 'userfaultfd', 'perf_event_open'] as const),
      ...(['kexec_load', 'init_module', 'finit_module', 'process_vm_readv', 'process_vm_writev', 'reboot'] as const),
      ...(['open_by_handle_at', 'quotactl', 'swapon', 'syslog', 'pidfd_getfd', 'kcmp'] as const),
    ];
    expect(names.map(name => [name, call(name, [], kind)])).toEqual(names.map(name => [name, ERRNO.EPERM]));
  });

  it('refuse mounts and namespaces to applications, and allow them to builds of images', () => {
    expect(MOUNTS.map(name => call(name))).toEqual(MOUNTS.map(() => ERRNO.EPERM));
    expect(MOUNTS.map(name => call(name, [], 'image build'))).toEqual(MOUNTS.map(() => 0));
    expect(call('unshare', [CLONE_NEWUSER])).toBe(ERRNO.EPERM);
    expect(call('unshare', [0x80])).toBe(ERRNO.EPERM);
    expect([0, 0x200, 0x400].map(flags => call('unshare', [flags]))).toEqual([0, 0, 0]);
    expect(call('unshare', [CLONE_NEWUSER], 'image build')).toBe(0);
    expect(call('clone', [CLONE_NEWUSER | 17])).toBe(ERRNO.EPERM);
    expect(call('clone', [CLONE_NEWUSER | 17], 'image build')).toBe(0);
    expect(call('clone3')).toBe(ERRNO.ENOSYS);
  });

  it('allow threads and processes', () => {
    expect(call('clone', [THREAD])).toBe(0);
    expect(call('clone', [17])).toBe(0);
  });

  it('allow only sockets that network namespaces separate', () => {
    const families = Array.from({ length: 50 }, (_, family) => family);
    expect(families.filter(family => call('socket', [family, 1, 0]) === 0)).toEqual([1, 2, 10, 16]);
    expect(families.filter(family => call('socketpair', [family, 1, 0]) === 0)).toEqual([1, 2, 10, 16]);
    expect(call('socket', [40])).toBe(ERRNO.EAFNOSUPPORT);
  });

  it('allow a process to be traced by its parent, and refuse to trace others', () => {
    expect(call('ptrace', [0])).toBe(0);
    expect(call('ptrace', [16])).toBe(ERRNO.EPERM);
    expect(call('ptrace', [0x4206])).toBe(ERRNO.EPERM);
  });

  it('allow the usual personalities only', () => {
    expect([0, 8, 0xffffffff].map(value => call('personality', [value]))).toEqual([0, 0, 0]);
    expect([0x40000, 0x400000].map(value => call('personality', [value]))).toEqual([ERRNO.EPERM, ERRNO.EPERM]);
  });

  it('answer to calls that are newer than they are, and to those of another ABI, as a kernel without them', () => {
    expect([457, 500, 0x40000000].map(number => outcomeOf('application', architecture, number))).toEqual([38, 38, 38]);
    const other = ARCHITECTURES.find(name => name !== architecture)!;
    const [load, isEqual] = programOf('application', architecture);
    expect(load).toMatchObject({ code: OPERATION.load, value: ARCHITECTURE });
    expect(isEqual?.value).not.toBe(AUDIT[other]);
  });

  it('are small: the kernel accepts 4,096 instructions, and 8 bytes hold one', () => {
    const { length } = filterOf('application', architecture);
    expect(length % 8).toBe(0);
    expect(length).toBeLessThan(2_000);
  });
});
