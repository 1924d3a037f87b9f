import { randomUUID } from 'node:crypto';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSmallFile } from '../../infrastructure/builders/small-file.js';
import { gitSettingsFor } from '../../infrastructure/git/git-environment.js';
import type { PinnedRemote } from '../../infrastructure/git/pinned-remotes.js';
import { accessFiles, KNOWN_HOSTS_FILE } from '../../infrastructure/git/remote-access.js';
import type { ConfinedPlace } from '../instances/confinement.js';

const MAX_BYTES = 64 * 1024;

/** The folder with the credentials of one git command. Only its processes can enter it, and `remove` deletes it when they have ended. */
export class GitAccessFolder {
  private constructor(readonly path: string) {}

  /** Creates the folder below `home`, which belongs to the place's owner. No process of the owner may run there yet. */
  static async make(home: string, remote: PinnedRemote, { owner }: ConfinedPlace): Promise<GitAccessFolder> {
    const folder = new GitAccessFolder(join(home, `.git-access-${randomUUID()}`));
    await mkdir(folder.path, { mode: 0o700 });
    const files = { ...accessFiles(remote.access), gitconfig: gitSettingsFor(remote) };
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder.path, name);
      await writeFile(file, text, { mode: 0o600, flag: 'wx' });
      if (owner) await chown(file, owner.uid, owner.gid);
    }
    if (owner) await chown(folder.path, owner.uid, owner.gid);
    return folder;
  }

  /** The current `known_hosts` of ssh. */
  async knownHosts(): Promise<string> {
    return (await readSmallFile(this.path, KNOWN_HOSTS_FILE, MAX_BYTES)) ?? '';
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
