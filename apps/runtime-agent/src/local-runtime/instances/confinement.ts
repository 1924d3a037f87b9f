import type { InstanceSize } from './instance-host.js';

/** Isolates and limits the processes of an instance with the mechanisms that the machine supports. */
export interface Confinement {
  /** Whether each place can have a network of its own; otherwise all use that of the machine, and must use different ports. */
  readonly hasNetworks: boolean;
  /**
   * Prepares the confinement before a process is started. With `webServiceId`, its processes are in the group of that
   * web service, which can read its files. `needs` override the defaults.
   */
  prepare(id: string, webServiceId?: string, needs?: ConfinementNeeds): Promise<ConfinedPlace>;
  /** Returns the place of an instance that was prepared before, possibly by an earlier platform process. */
  find(id: string): Promise<ConfinedPlace>;
  /** The ids of all places that have a network, whichever platform process prepared them. */
  networkIds(): Promise<readonly string[]>;
  /** Releases the user of a place, or a shared user. To be called when no files of the user are left. */
  release(name: string): Promise<void>;
}

export interface ConfinementNeeds extends Partial<InstanceSize> {
  /** Places with the same name run as the same user, whose files outlive them. Only one exists at a time. */
  readonly user?: string | undefined;
  /** Maximum size of a file, if it exceeds the general limit. */
  readonly fileBytes?: number | undefined;
  /**
   * A network of its own for the processes in views, if the machine supports it. With `port`, a program that listens on this port of
   * 127.0.0.1 is reached at the address of the place too. The place may connect to what is attached to the web service.
   */
  readonly network?: { readonly port?: number | undefined; readonly webServiceId?: string | undefined } | undefined;
}

/** Which network the processes of a view use. */
export type ViewNetwork = 'own' | 'machine';

/** Folders of the processes, by purpose. */
export interface SandboxFolders {
  readonly app: string;
  readonly appWritable: boolean;
  /** Holds what processes change in `app`, which stays as it is; without it, or on machines without overlayfs, they cannot write. */
  readonly layer?: string;
  /** Whether `app` is the root file system of an image, and therefore the root directory of the processes. */
  readonly isImage?: boolean;
  readonly home: string;
  readonly temporary: string;
  /** Kept for the next build. */
  readonly cache?: string;
  /** Persists after the processes have ended. */
  readonly disk?: string;
  /** Secret files, which the processes can only read. */
  readonly secrets?: string;
  /** Images that are mounted for the processes only, each on a folder that holds some of the other folders. */
  readonly images?: readonly { readonly path: string; readonly folder: string }[];
}

/** The file system view of the processes, and how to start processes in it. */
export interface SandboxView {
  /** The folders, by their paths inside the view. */
  readonly folders: SandboxFolders;
  /** The path of a file of the platform inside the view. */
  pathOf(path: string): string;
  /**
   * Wraps a command to run in the view, in `directory` below `app`. Spawn it with `startDirectory` as working
   * directory.
   */
  wrap(argv: readonly string[], directory: string): readonly string[];
  readonly startDirectory: string;
  /** Whether the wrapped command starts a child process in new namespaces. */
  readonly hasNamespaces: boolean;
}

export interface ConfinedPlace {
  /** The IPv4 address at which the processes in views are reached. */
  readonly address: string;
  /** Whether processes in views have a network of their own. */
  readonly hasNetwork: boolean;
  /** Replaces the port of `ConfinementNeeds.network` by these. Does nothing without a network of its own. */
  reachInward(ports: readonly number[]): Promise<void>;
  /** The user that the processes run as; undefined if it is Postern's own user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** Wraps a command to run in the confinement, with the file system of the machine. */
  wrap(argv: readonly string[]): readonly string[];
  /**
   * Gives processes access to these folders, and to as little of the machine's other files as it supports. They use the network of
   * the place, unless `network` is the machine's.
   */
  view(folders: SandboxFolders, network?: ViewNetwork): Promise<SandboxView>;
  /** The ids of all processes inside. */
  pids(): Promise<readonly number[]>;
  /** Whether the OOM killer has killed a process inside. */
  ranOutOfMemory(): Promise<boolean>;
  /** Kills all processes inside until none is left, and releases the place. */
  clear(): Promise<void>;
}
