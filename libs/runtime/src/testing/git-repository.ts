import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The text of a file, or the target of a symbolic link. */
export type Files = Readonly<Record<string, string | { readonly link: string }>>;

/** A real repository with a work tree in a separate folder, like that of a developer. */
export class GitRepository {
  private constructor(readonly folder: string) {}

  static async make(files: Files = { 'README.md': 'hello' }, options: { branch?: string; format?: string } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'postern-repository-'));
    await chmod(folder, 0o755);
    const repository = new GitRepository(folder);
    const { branch = 'main', format = 'sha1' } = options;
    await repository.git('init', '--quiet', '--template=', `--initial-branch=${branch}`, `--object-format=${format}`);
    await repository.commit(files);
    return repository;
  }

  get url(): string {
    return pathToFileURL(this.folder).href;
  }

  /** Commits the files in addition to the existing ones. */
  async commit(files: Files): Promise<string> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.folder, name);
      await mkdir(dirname(path), { recursive: true });
      await (typeof content === 'string' ? writeFile(path, content) : symlink(content.link, path));
    }
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--allow-empty', '--message', 'as it is');
    return this.git('rev-parse', 'HEAD');
  }

  async git(...args: readonly string[]): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@example.com',
    };
    return (await run('git', [...args], { cwd: this.folder, env })).stdout.trim();
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
