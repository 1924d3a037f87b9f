/** Numbers of `errno` that a filter returns. */
export const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;

export interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

/** Operations of classic BPF (`linux/bpf_common.h`). */
export const OPERATION = { load: 0x20, isEqual: 0x15, isAtLeast: 0x35, hasBits: 0x45, answer: 0x06 } as const;
export const ALLOW = 0x7fff0000;
export const REFUSE = 0x00050000;

/** Offsets in `struct seccomp_data`. */
export const NUMBER = 0;
export const ARCHITECTURE = 4;
/** The kernel reads only the lower half of the arguments that filters check. */
const lowerHalfOf = (argument: number): number => 16 + 8 * argument;

const load = (value: number): Instruction => ({ code: OPERATION.load, ifTrue: 0, ifFalse: 0, value });
const answer = (value: number): Instruction => ({ code: OPERATION.answer, ifTrue: 0, ifFalse: 0, value });
const refuse = (errno: number): Instruction => answer(REFUSE | errno);

/** Runs the block if the condition holds, and skips it otherwise. */
const when = (code: number, value: number, block: readonly Instruction[]): readonly Instruction[] => [
  { code, ifTrue: 0, ifFalse: block.length, value },
  ...block,
];

/** Allows only these values of an argument. */
export const onlyValues = (argument: number, values: readonly number[], errno: number): readonly Instruction[] => [
  load(lowerHalfOf(argument)),
  ...values.flatMap(value => when(OPERATION.isEqual, value, [answer(ALLOW)])),
  refuse(errno),
];

/** Refuses these values of an argument. */
export const notValues = (argument: number, values: readonly number[], errno: number): readonly Instruction[] => [
  load(lowerHalfOf(argument)),
  ...values.flatMap(value => when(OPERATION.isEqual, value, [refuse(errno)])),
  answer(ALLOW),
];

/** Refuses an argument that has any of these bits. */
export const withoutBits = (argument: number, bits: number, errno: number): readonly Instruction[] => [
  load(lowerHalfOf(argument)),
  ...when(OPERATION.hasBits, bits, [refuse(errno)]),
  answer(ALLOW),
];

/** Refuses all these calls with one answer. */
const refuseAll = (numbers: readonly number[], errno: number): readonly Instruction[] => [
  ...numbers.map((value, index) => {
    const left = numbers.length - 1 - index;
    return { code: OPERATION.isEqual, ifTrue: left, ifFalse: left === 0 ? 1 : 0, value };
  }),
  refuse(errno),
];

export const always = (errno: number): readonly Instruction[] => [refuse(errno)];

export interface FilterRules {
  /** The value of `AUDIT_ARCH_*`; calls of another architecture do not exist for the process. */
  readonly architecture: number;
  /** Calls with a number above this one do not exist for the process; the C library then uses an older call. */
  readonly newest: number;
  /** Calls that are refused with EPERM, at most 255. */
  readonly refused: readonly number[];
  /** What happens to each of these calls; every block ends with an answer. All others are allowed. */
  readonly calls: ReadonlyMap<number, readonly Instruction[]>;
}

export const filterProgram = ({ architecture, newest, refused, calls }: FilterRules): readonly Instruction[] => [
  load(ARCHITECTURE),
  { code: OPERATION.isEqual, ifTrue: 1, ifFalse: 0, value: architecture },
  refuse(ERRNO.ENOSYS),
  load(NUMBER),
  ...when(OPERATION.isAtLeast, newest + 1, [refuse(ERRNO.ENOSYS)]),
  ...refuseAll(refused, ERRNO.EPERM),
  ...[...calls].flatMap(([number, block]) => when(OPERATION.isEqual, number, block)),
  answer(ALLOW),
];

/** The instructions as the kernel reads them (`struct sock_filter`) on little-endian machines. */
export const encoded = (program: readonly Instruction[]): Buffer =>
  Buffer.concat(
    program.map(({ code, ifTrue, ifFalse, value }) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(ifTrue, 2);
      bytes.writeUInt8(ifFalse, 3);
      bytes.writeUInt32LE(value >>> 0, 4);
      return bytes;
    }),
  );
