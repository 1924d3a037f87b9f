import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Files = Readonly<Record<string, string>>;

/** A Git repository in its own folder, like a repository of a platform user. */
export class Repository {
  private constructor(readonly folder: string) {}

  static create(files: Files, branch = 'main'): Repository {
    const folder = mkdtempSync(join(tmpdir(), 'postern-repository-'));
    // Builds run as another user if this process runs as root.
    chmodSync(folder, 0o755);
    const repository = new Repository(folder);
    repository.git('init', '-q', '-b', branch);
    repository.commit(files);
    return repository;
  }

  get url(): string {
    return `file://${this.folder}`;
  }

  /** Writes and commits files. @returns the commit id. */
  commit(files: Files): string {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), content);
    }
    this.git('add', '--all');
    this.git('commit', '-q', '--allow-empty', '-m', 'A change');
    return this.git('rev-parse', 'HEAD').trim();
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
    return execFileSync('git', [...identity, '-C', this.folder, ...args], { encoding: 'utf8' });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A web service without dependencies that returns its version and its environment. */
export const webApp = (version: string, more: Files = {}): Files => ({
  'package.json': JSON.stringify({
    name: 'story',
    private: true,
    type: 'module',
    scripts: { start: 'node server.js' },
  }),
  'server.js': `
    import { createServer } from 'node:http';
    const server = createServer((request, response) => {
      const url = new URL(request.url, 'http://service');
      if (url.pathname === '/say') {
        console.log(url.searchParams.get('words'));
        return response.end('printed');
      }
      if (url.pathname === '/env') return response.end(JSON.stringify(process.env[url.searchParams.get('key')] ?? null));
      if (url.pathname === '/crash') process.exit(3);
      setTimeout(() => response.end('${version}'), Number(url.searchParams.get('ms') ?? 0));
    });
    server.listen(process.env.PORT, () => console.log('version ${version} listens'));
    process.on('SIGTERM', () => server.close());
  `,
  ...more,
});
