import type { InstanceSize } from './instance-host.js';

/** What holds an instance's processes together and within its limits, whatever the machine offers for that. */
export interface Confinement {
  /**
   * Prepares the confinement before a process is started. `webServiceId` lets it read what belongs to that service;
   * `needs` replace what all have.
   */
  prepare(id: string, webServiceId?: string, needs?: ConfinementNeeds): Promise<ConfinedPlace>;
  /** The place of an instance that was prepared before, perhaps by an earlier run of the platform. */
  find(id: string): Promise<ConfinedPlace>;
  /** Gives up the user of a place, or one that several had. Nothing that belongs to the user is left. */
  release(name: string): Promise<void>;
}

export interface ConfinementNeeds extends Partial<InstanceSize> {
  /** Places with the same name run as the same user, because files of that user outlive them. One at a time. */
  readonly user?: string | undefined;
  /** The largest file that may be written, where that is more than for all. */
  readonly fileBytes?: number | undefined;
}

/** Folders that processes use, by their purpose. */
export interface SandboxFolders {
  readonly app: string;
  readonly appWritable: boolean;
  /** Whether `app` is the root file system of an image, which processes then have as their root directory. */
  readonly isImage?: boolean;
  readonly home: string;
  readonly temporary: string;
  /** Kept for the next build. */
  readonly cache?: string;
  /** Outlives the processes. */
  readonly disk?: string;
}

/** What processes see, and how they are started so that they see it. */
export interface SandboxView {
  /** The folders by the paths that processes find them at. */
  readonly folders: SandboxFolders;
  /** Where processes find a file of the platform. */
  pathOf(path: string): string;
  /** The command that starts this one, in a folder below `app`, from the folder `startDirectory`. */
  enclose(argv: readonly string[], directory: string): readonly string[];
  readonly startDirectory: string;
  /** Whether that is a process that starts another one in namespaces of its own. */
  readonly hasNamespaces: boolean;
}

export interface ConfinedPlace {
  /** Whom its processes run as; undefined where that is ourselves. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** The command that starts this one inside, where it sees the files of this machine. */
  enclose(argv: readonly string[]): readonly string[];
  /** Shows processes these folders, and of the rest of this machine as little as it allows. */
  view(folders: SandboxFolders): Promise<SandboxView>;
  /** All that run inside now. */
  pids(): Promise<readonly number[]>;
  /** Whether the kernel has ended something inside because there was no memory left for it. */
  ranOutOfMemory(): Promise<boolean>;
  /** Kills everything inside until nothing is left, and gives the place up. */
  clear(): Promise<void>;
}
