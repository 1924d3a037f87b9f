/** The level of the warning, which gives owners time to act before the limit ends the instance. */
const NEARLY_FULL = 0.9;

export interface DiskLevel {
  readonly isNearlyFull: boolean;
  readonly isOver: boolean;
  /** The message for the owner. */
  readonly reason: string;
}

/** Compares the usage of a disk with its size. */
export const levelOf = (usedBytes: number, sizeMib: number): DiskLevel => {
  const used = usedBytes / 2 ** 20 / sizeMib;
  const isOver = used > 1;
  return {
    isNearlyFull: used >= NEARLY_FULL,
    isOver,
    reason: isOver
      ? `stores more than ${sizeMib} MiB on its disk; enlarge the disk, or delete files when the application starts`
      : `The disk is ${Math.floor(used * 100)} % full (${sizeMib} MiB). Delete files or enlarge the disk: if its files exceed its size, the instance is restarted.`,
  };
};
