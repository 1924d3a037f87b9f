/** A Git server outside the cluster, over HTTPS, with git-http-backend. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { dirname, join } from 'node:path';
import { GIT_ADDRESS, GIT_HOST } from '../settings.mjs';

/** CGI variables (RFC 3875). */
const backend = (root, request, response) => {
  const url = new URL(request.url, 'https://localhost');
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
  });
  request.pipe(child.stdin);
  child.stdout.toArray().then(chunks => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      answer
        .toString('latin1', 0, end)
        .split('\r\n')
        .map(line => line.split(': ')),
    );
    response.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers).end(answer.subarray(end + 4));
  });
};

export class GitHost {
  constructor(folder) {
    this.root = join(folder, 'repositories');
    mkdirSync(this.root, { recursive: true });
    const [key, cert] = ['world.key', 'world.crt'].map(name => readFileSync(join(folder, name)));
    this.server = createServer({ key, cert }, (request, response) => backend(this.root, request, response));
  }

  listen() {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject).listen(443, GIT_ADDRESS, () => resolve(undefined));
    });
  }

  /** Makes a commit with exactly these files, in a repository that is made with its first. @returns its URL. */
  commit(name, files) {
    const folder = join(this.root, name);
    const git = (...args) =>
      execFileSync('git', ['-c', 'user.name=Check', '-c', 'user.email=check@example.com', '-C', folder, ...args], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    mkdirSync(folder, { recursive: true });
    git('init', '--quiet', '--initial-branch=main');
    git('rm', '--quiet', '-r', '--force', '--ignore-unmatch', '.');
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      rmSync(join(folder, path), { force: true });
      writeFileSync(join(folder, path), content);
    }
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'Change');
    return `https://${GIT_HOST}/${name}`;
  }
}
