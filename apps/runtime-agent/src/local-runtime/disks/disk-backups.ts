import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, copyFile, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { DiskRestore, StoredBackup } from '@postern/runtime';
import { removeTree, requireSpace, SPARE_BYTES, usedBytes } from '../../infrastructure/disk.js';
import { BackupFiles } from '../backups/backup-files.js';
import type { InstanceRecords } from '../instances/instance-records.js';
import { type DiskImages, NOT_MOUNTED } from '../sandbox/areas/disk-images.js';
import { DiskBusy, FILES, type ServiceDisks } from './service-disks.js';

const MIB = 2 ** 20;
/** What a disk may grow while it is copied. */
const GROWTH_BYTES = 1024 * MIB;
/** How often a backup begins again after an instance has interrupted it. */
const ATTEMPTS = 10;
const RETRY_MS = 1_000;
/** tar: some files changed or vanished while they were read. */
const CHANGED = 1;
const ERROR_CHARACTERS = 10_000;

const FORMAT = ['--format=posix', '--sparse', '--numeric-owner', '--xattrs', '--xattrs-include=user.*'];
const archiving = (folder: string) => ['tar', '--create', ...FORMAT, '--one-file-system', '-C', folder, '.'];
const extracting = (folder: string) => ['tar', '--extract', ...FORMAT, '--preserve-permissions', '-C', folder];

/**
 * Backups of the disks of web services: archives of their files. If the file system of the machine clones files, an archive has one
 * point in time; otherwise the files are read one after another while the instance runs.
 */
export class DiskBackups {
  readonly #files: BackupFiles;

  constructor(
    private readonly disks: ServiceDisks,
    private readonly instances: Pick<InstanceRecords, 'list'>,
    private readonly spareBytes = SPARE_BYTES,
  ) {
    this.#files = new BackupFiles(webServiceId => disks.backupsOf(webServiceId));
  }

  async backUp(webServiceId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    const known = await this.#files.find(webServiceId, backupId);
    if (known) return known;
    this.disks.requireImages(webServiceId);
    await this.disks.completeReplacement(webServiceId);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.disks.use(webServiceId, aborted =>
          this.#backUp(webServiceId, backupId, AbortSignal.any([signal, aborted])),
        );
      } catch (error) {
        if (!(error instanceof DiskBusy) || attempt === ATTEMPTS) throw error;
        await pause(RETRY_MS, undefined, { signal });
      }
    }
  }

  /** @param between calls its argument while no instance uses the disk, and has one start again afterwards. */
  async restore(
    { webServiceId, sizeMib, restoreId, backupId, digest }: DiskRestore,
    between: (replace: () => Promise<void>) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    this.disks.requireImages(webServiceId);
    await this.disks.completeReplacement(webServiceId);
    if (await this.disks.isRestored(webServiceId, restoreId)) return;
    const backup = await this.#files.find(webServiceId, backupId);
    if (!backup) throw new Error('the backup is gone');
    if (backup.digest !== digest) throw new Error('the backup is damaged');
    const beside = this.disks.besideOf(webServiceId);
    const bytes = await this.#files.contentBytes(webServiceId, backupId, signal);
    await requireSpace(dirname(beside), bytes, this.spareBytes);
    try {
      await removeTree(beside);
      await mkdir(beside, { mode: 0o700 });
      const { path, program } = await this.#beginExtraction(beside, sizeMib, signal);
      const fill = (content: Readable) => filled(program, content, signal);
      await this.#files.read(webServiceId, backupId, fill, signal);
      await this.#flush(path);
      signal.throwIfAborted();
      await between(() => this.disks.replace(webServiceId, path, restoreId));
    } finally {
      await this.disks.completeReplacement(webServiceId);
      await removeTree(beside);
    }
  }

  retain(webServiceId: string, backupIds: ReadonlySet<string>): Promise<void> {
    return this.#files.retain(webServiceId, backupIds);
  }

  async #backUp(webServiceId: string, backupId: string, signal: AbortSignal): Promise<StoredBackup> {
    const { images } = this.disks;
    const [image, folder] = [this.disks.imageOf(webServiceId), this.disks.folderOf(webServiceId)];
    const isImage = images !== undefined && existsSync(image);
    if (!isImage && !existsSync(folder))
      throw new Error('the disk does not exist yet: the first instance that uses it creates it');
    const bytes = await usedBytes(isImage ? image : folder);
    await requireSpace(dirname(folder), bytes, this.spareBytes);
    const beside = `${folder}.copy`;
    try {
      await mkdir(beside, { recursive: true, mode: 0o700 });
      const program = isImage
        ? await this.#readImage(images, webServiceId, beside, signal)
        : started(archiving(folder), READING);
      const exit = exitOf(program, 'exit');
      const content = contentOf(program, exit);
      try {
        const most = 2 * bytes + GROWTH_BYTES;
        return await this.#files.write(webServiceId, backupId, content, most, signal);
      } finally {
        program.kill('SIGKILL');
        await exit.catch(() => undefined);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      await removeTree(beside);
    }
  }

  /** Reads a clone of the image, or else the mounted file system itself. */
  async #readImage(
    images: DiskImages,
    webServiceId: string,
    beside: string,
    signal: AbortSignal,
  ): Promise<ChildProcess> {
    const [image, clone, mount] = [this.disks.imageOf(webServiceId), join(beside, 'image'), join(beside, 'mount')];
    const archive = archiving(join(mount, FILES));
    const isCloned = await copyFile(image, clone, constants.COPYFILE_FICLONE_FORCE).then(
      () => true,
      () => false,
    );
    if (isCloned) return images.within(clone, mount, archive, READING, signal);
    const isHeld = (await this.instances.list()).some(each => each.webServiceId === webServiceId && each.disk);
    // An instance that has not mounted the image yet would mount it a second time.
    if (isHeld && (await images.deviceOf(image)) === undefined) throw new DiskBusy();
    return images.within(image, mount, archive, READING, signal);
  }

  /** Starts a program that reads an archive and writes its files to what can become the disk. */
  async #beginExtraction(beside: string, sizeMib: number, signal: AbortSignal) {
    const { images } = this.disks;
    if (!images) {
      const path = join(beside, FILES);
      await mkdir(path, { mode: 0o700 });
      return { path, program: started(extracting(path), WRITING) };
    }
    const [content, path, mount] = [join(beside, 'content'), join(beside, 'image'), join(beside, 'mount')];
    await mkdir(join(content, FILES), { recursive: true, mode: 0o711 });
    await images.make({ path, content, bytes: sizeMib * MIB, isKept: true });
    return { path, program: await images.within(path, mount, extracting(join(mount, FILES)), WRITING, signal) };
  }

  async #flush(path: string): Promise<void> {
    await this.disks.images?.released(path);
    const file = await open(path, 'r');
    await file.sync().finally(() => file.close());
  }
}

const READING: StdioOptions = ['ignore', 'pipe', 'ignore'];
const WRITING: StdioOptions = ['pipe', 'ignore', 'pipe'];

const started = ([command = '', ...args]: readonly string[], stdio: StdioOptions): ChildProcess =>
  spawn(command, args, { stdio, env: { ...process.env, LC_ALL: 'C' } });

/** The exit status, with `close` after all output was read. @throws if the program could not be started. */
const exitOf = (program: ChildProcess, event: 'exit' | 'close'): Promise<number | null> => {
  const exit = once(program, event).then(([code]) => code as number | null);
  // It may fail before anybody waits for it.
  exit.catch(() => undefined);
  return exit;
};

/** The output of a program. @throws unless it has read all files. */
const contentOf = (program: ChildProcess, exit: Promise<number | null>): Readable => {
  const content = new PassThrough({
    flush: done => {
      exit.then(code => {
        if (code === NOT_MOUNTED) return done(new DiskBusy());
        done(code === 0 || code === CHANGED ? null : new Error('some files of the disk could not be read'));
      }, done);
    },
  });
  // At once, because Node.js discards output that nobody reads when the program ends.
  program.stdout?.pipe(content);
  return content;
};

/** Passes an archive to a program. @throws unless it has written all files. */
const filled = async (program: ChildProcess, content: Readable, signal: AbortSignal): Promise<void> => {
  const { stdin, stderr } = program;
  if (!stdin || !stderr) throw new Error('the program has no input');
  let errors = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_CHARACTERS);
  });
  const exit = exitOf(program, 'close');
  // tar ends at the end of the archive, which may come before the end of its input.
  stdin.on('error', () => undefined);
  const drained = () => once(stdin, 'drain').catch(() => exit);
  try {
    for await (const chunk of content) if (!stdin.write(chunk)) await Promise.race([drained(), exit]);
    stdin.end();
    const code = await exit;
    if (/No space left|Wrote only \d+ of/.test(errors))
      throw new Error('the files of the backup do not fit on the disk');
    if (code !== 0) throw new Error('the files of the backup could not be written', { cause: errors });
  } catch (error) {
    program.kill('SIGKILL');
    await exit.catch(() => undefined);
    throw signal.aborted ? signal.reason : error;
  }
};
