import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceUnavailable, type SourceUpload, type SourceUploads } from '@postern/runtime';
import { runConfined } from '../sandbox/confined-run.js';
import { removeStrayLinks } from './links.js';
import type { Checkout } from './repository-sources.js';

const ARCHIVE = '.postern-upload.tar.gz';
const MAX_ERRORS = 8_192;

export const NO_UPLOADS: SourceUploads = {
  async *read() {},
};

/** Archives as sources. The system's tar unpacks them as the user of the build and in its sandbox, because they are not trusted. */
export class UploadedSources {
  /** @param path the PATH for tar and gzip. */
  constructor(
    private readonly uploads: SourceUploads,
    private readonly path: string,
  ) {}

  /** Unpacks the archive into the directory; `log` receives a line for each link that is left out. */
  async unpack(
    upload: SourceUpload,
    checkout: Checkout,
    log: (line: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const archive = join(checkout.home, ARCHIVE);
    try {
      await this.#fetch(upload, archive, checkout, signal);
      await this.#unpack(checkout, signal);
    } finally {
      await rm(archive, { force: true });
    }
    await removeStrayLinks(checkout.directory, log);
  }

  /** @throws SourceUnavailable unless these are exactly the bytes that were uploaded. */
  async #fetch(upload: SourceUpload, archive: string, { place }: Checkout, signal: AbortSignal): Promise<void> {
    const hash = createHash('sha256');
    const file = await open(archive, 'wx', 0o600);
    try {
      for await (const part of this.uploads.read(upload.id)) {
        signal.throwIfAborted();
        hash.update(part);
        await file.writeFile(part);
      }
      if (place.owner) await file.chown(place.owner.uid, place.owner.gid);
    } finally {
      await file.close();
    }
    if (hash.digest('hex') !== upload.digest)
      throw new SourceUnavailable('the uploaded source is no longer stored; upload it again');
  }

  async #unpack({ place, directory, home, marks }: Checkout, signal: AbortSignal): Promise<void> {
    const view = await place.view({ app: directory, appWritable: true, home, temporary: home });
    const { folders, startDirectory } = view;
    let errors = '';
    const archive = join(folders.home, ARCHIVE);
    const argv = ['tar', '--extract', '--gzip', '--no-same-owner', '--no-same-permissions', '--file', archive];
    const exit = await runConfined(
      { wrap: command => view.wrap(command, '.') },
      {
        argv,
        directory: startDirectory,
        environment: { PATH: this.path, LANG: 'C.UTF-8', HOME: folders.home, TMPDIR: folders.home, ...marks },
        onOutput: (chunk, stream) => {
          if (stream === 'stderr' && errors.length < MAX_ERRORS) errors += chunk.toString('utf8');
        },
      },
      signal,
    );
    if ('code' in exit && exit.code === 0) return;
    if ('code' in exit && (exit.code === 127 || /gzip: (?:Cannot exec|not found)/i.test(errors)))
      throw new SourceUnavailable('uploads cannot be unpacked on this machine: install tar and gzip');
    const reason = errors.trim().split('\n').at(0)?.slice(0, 300) || 'tar gave no reason';
    throw new SourceUnavailable(`the uploaded archive could not be unpacked: ${reason}`);
  }
}
