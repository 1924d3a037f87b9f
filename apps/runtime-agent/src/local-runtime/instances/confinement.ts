/** What holds an instance's processes together and within its limits, whatever the machine offers for that. */
export interface Confinement {
  /** Prepares the confinement of an instance before its process is started. */
  prepare(id: string): Promise<ConfinedPlace>;
  /** The place of an instance that was prepared before, perhaps by an earlier run of the platform. */
  find(id: string): Promise<ConfinedPlace>;
}

export interface ConfinedPlace {
  /** Whom its processes run as; undefined where that is ourselves. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** The command that starts this one inside. */
  enclose(argv: readonly string[]): readonly string[];
  /** All that run inside now. */
  pids(): Promise<readonly number[]>;
  /** Whether the kernel has ended something inside because there was no memory left for it. */
  ranOutOfMemory(): Promise<boolean>;
  /** Kills everything inside until nothing is left, and gives the place up. */
  clear(): Promise<void>;
}
