import { statSync } from 'node:fs';
import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { programFolders } from '../build/host-environment.js';
import { NamespaceSandbox } from '../sandbox/namespaces/namespace-sandbox.js';
import type { SandboxNetwork } from '../sandbox/network/tenant-network.js';
import { asUser } from '../sandbox/own-users.js';
import { SystemCallFilters } from '../sandbox/system-calls/system-call-filters.js';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';

/** What the programs of a database see, and how they are started. */
export interface ServerSandbox {
  /** The paths of its folders, as its programs see them. */
  readonly data: string;
  readonly sockets: string;
  readonly configuration: string;
  /** The name of the platform's user, as its programs see it. */
  readonly platformUser: string;
  /** The user of its programs; undefined if it is the platform's user. */
  readonly uid: number | undefined;
  /** Whether its programs have namespaces: then they see no other files and processes of the machine. */
  readonly isEnclosed: boolean;
  /** Spawn the result with `cwd`. */
  wrap(argv: readonly string[]): readonly string[];
  readonly cwd: string;
}

/**
 * Starts the programs of databases in the sandbox of web services: with their own processes, a root directory without files of the
 * machine, no capability, and no way to gain privileges. A machine without namespaces gives them only a separate user.
 */
export class ServerSandboxes {
  #filters: Promise<SystemCallFilters | undefined> | undefined;
  #found: { readonly key: string; readonly sandbox: Promise<NamespaceSandbox | undefined> } | undefined;

  constructor(
    private readonly platformHome: string,
    private readonly folders: DatabaseFolders,
    /** Folder of the root directories of sandboxes; in the home by default. */
    private readonly frames?: string,
    /** The network in which a database serves its clients; undefined if it uses that of the machine. */
    private readonly networkOf: (databaseId: string) => Promise<SandboxNetwork | undefined> = async () => undefined,
  ) {}

  /**
   * No program of the database runs when this is called.
   * @param data the data folder, which need not have its final name yet.
   * @param use whether the sandbox serves clients, or is in no network.
   * @param programs the programs that will run and are not in the system folders; their folders are visible.
   */
  async open(
    record: DatabaseRecord,
    use: 'serve' | 'work',
    data: string,
    programs: readonly string[],
  ): Promise<ServerSandbox> {
    const { databaseId, uid } = record;
    const sockets = this.folders.socketsOf(databaseId);
    const configuration = this.folders.configurationOf(databaseId);
    await mkdir(configuration, { recursive: true });
    await chmod(configuration, 0o755);
    await makeSockets(sockets, uid);
    const sandbox = await this.#sandboxFor(programs);
    this.#filters ??= SystemCallFilters.find();
    const filters = await this.#filters;
    const filtered = (argv: readonly string[]) => filters?.load('application', argv) ?? argv;
    const network = use === 'serve' ? await this.networkOf(databaseId) : undefined;
    const inNetwork = (argv: readonly string[]) =>
      network ? network.wrap(argv) : use === 'work' && isRoot() ? ['unshare', '--net', '--', ...argv] : argv;
    if (!sandbox) return unenclosed(uid, { data, configuration, programs, network, filtered });
    const id = sandboxOf(databaseId);
    // Deletes the tables of mounts of earlier starts.
    await sandbox.clear(id);
    const owner = { uid: uid ?? process.getuid!(), gid: uid ?? process.getgid!() };
    const folders = { app: configuration, appWritable: false, home: sockets, temporary: sockets, disk: data };
    const view = await sandbox.view({ id, owner, folders, groups: new Map() });
    return {
      data: view.folders.disk!,
      sockets: view.folders.home,
      configuration: view.folders.app,
      // The user database of the sandbox has two entries: root, and the owner.
      platformUser: uid === undefined ? 'app' : 'root',
      uid,
      isEnclosed: true,
      cwd: view.startDirectory,
      wrap: argv => inNetwork(view.wrap(asOwner(uid, filtered(argv)), '.')),
    };
  }

  /** Removes the files of a sandbox that is not used any more. */
  async clear(databaseId: string): Promise<void> {
    await rm(join(this.platformHome, 'boxes/places', sandboxOf(databaseId)), { recursive: true, force: true });
  }

  #sandboxFor(programs: readonly string[]): Promise<NamespaceSandbox | undefined> {
    const folders = programFolders(programs.map(dirname).join(delimiter));
    const key = folders.join(delimiter);
    if (this.#found?.key !== key)
      this.#found = { key, sandbox: NamespaceSandbox.find(this.platformHome, folders, this.frames, PROBE) };
    return this.#found.sandbox;
  }
}

const PROBE = ['/bin/sh', '-c', 'cd /tmp'];

const isRoot = (): boolean => process.getuid?.() === 0;

const sandboxOf = (databaseId: string): string => `database-${databaseId}`;

/** Without core dumps, which would contain the memory of the server. */
const asOwner = (uid: number | undefined, argv: readonly string[]): readonly string[] => {
  const bounded = ['prlimit', '--core=0', '--', ...argv];
  return uid === undefined ? bounded : asUser(uid, bounded);
};

/** Only the platform and the user of the database may enter it, so that no other program can take the place of the server. */
const makeSockets = async (folder: string, uid: number | undefined): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  if (uid === undefined) return;
  await chown(folder, process.getuid!(), uid);
  await chmod(folder, 0o770);
};

interface Unenclosed {
  readonly data: string;
  readonly configuration: string;
  readonly programs: readonly string[];
  readonly network: SandboxNetwork | undefined;
  readonly filtered: (argv: readonly string[]) => readonly string[];
}

const unenclosed = (
  uid: number | undefined,
  { data, configuration, programs, network, filtered }: Unenclosed,
): ServerSandbox => {
  if (uid !== undefined) for (const path of [data, ...programs]) requireReachable(path, uid);
  return {
    data,
    // Relative to the data, because the path of a socket has at most 107 bytes.
    sockets: '../socket',
    configuration,
    platformUser: userInfo().username,
    uid,
    isEnclosed: false,
    cwd: data,
    wrap: argv => {
      const owned = asOwner(uid, filtered(argv));
      return network?.wrap(owned) ?? owned;
    },
  };
};

const requireReachable = (path: string, uid: number): void => {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { uid: owner, gid, mode } = statSync(folder);
    const passes = owner === uid ? 0o100 : gid === uid ? 0o010 : 0o001;
    if ((mode & passes) === 0)
      throw new Error(
        `the user of the database cannot enter ${folder}: allow every user to enter it, or use a machine with mount namespaces`,
      );
    if (folder === dirname(folder)) return;
  }
};
