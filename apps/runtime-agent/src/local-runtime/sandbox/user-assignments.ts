import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { type UserRange, userOf } from './own-users.js';

/**
 * Assigns one user to each name of a home. The files `names/<name>` and `uids/<uid>` refer to each other and outlive this process;
 * `shared/<name>` holds another name, whose user this name shares.
 */
export class UserAssignments {
  readonly #names: string;
  readonly #uids: string;
  readonly #shared: string;
  readonly #oneAtATime = pLimit(1);

  constructor(
    folder: string,
    private readonly range: UserRange,
  ) {
    this.#names = join(folder, 'names');
    this.#uids = join(folder, 'uids');
    this.#shared = join(folder, 'shared');
  }

  /** The user of the name, the same one until it is released. @throws if all users are assigned. */
  assign(name: string): Promise<number> {
    return this.#oneAtATime(async () => {
      const owner = (await textOf(join(this.#shared, name))) || name;
      return (await this.#find(owner)) ?? (await this.#take(owner));
    });
  }

  /** Gives `name` the user of `other` until `name` is released; `other` then keeps its user. */
  share(name: string, other: string): Promise<void> {
    return this.#oneAtATime(async () => {
      await mkdir(this.#shared, { recursive: true, mode: 0o700 });
      await writeFile(join(this.#shared, name), other);
    });
  }

  /** Releases the user of the name. Nothing that belongs to the user may remain. */
  release(name: string): Promise<void> {
    return this.#oneAtATime(async () => {
      await rm(join(this.#shared, name), { force: true });
      const uid = await this.#find(name);
      if (uid === undefined) return;
      await rm(join(this.#names, name), { force: true });
      await rm(join(this.#uids, String(uid)), { force: true });
    });
  }

  async #find(name: string): Promise<number | undefined> {
    const uid = Number(await textOf(join(this.#names, name)));
    return uid > 0 && (await textOf(join(this.#uids, String(uid)))) === name ? uid : undefined;
  }

  async #take(name: string): Promise<number> {
    const { first, count } = this.range;
    for (const folder of [this.#names, this.#uids]) await mkdir(folder, { recursive: true, mode: 0o700 });
    const preferred = userOf(name, this.range) - first;
    for (let step = 0; step < count; step += 1) {
      const uid = first + ((preferred + step) % count);
      if (!(await this.#reserve(uid, name))) continue;
      await writeFile(join(this.#names, name), String(uid));
      return uid;
    }
    throw new Error(`all ${count} users of this home are assigned`);
  }

  /** Reserves atomically, because another process of the same home may try the same UID. An empty file left by a crash wastes one UID. */
  async #reserve(uid: number, name: string): Promise<boolean> {
    const path = join(this.#uids, String(uid));
    try {
      await writeFile(path, name, { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      // Reserved before a crash that prevented the write of `names/<name>`.
      return (await textOf(path)) === name;
    }
  }
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
