/**
 * Helm and kubeconform, built from the Go modules that go.mod and go.sum pin, and kept in node_modules/.cache until
 * either changes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const CACHE = join(ROOT, 'node_modules/.cache/postern-kubernetes');

/** Kubernetes whose schemas the objects have to keep, and that Helm is told it talks to. */
export const KUBERNETES = '1.36.3';

const PACKAGES = ['helm.sh/helm/v3/cmd/helm', 'github.com/yannh/kubeconform/cmd/kubeconform'];

export const go = (args, options = {}) => {
  try {
    return execFileSync('go', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('Go 1.26 or newer is needed to build helm and kubeconform, and there is no `go` on PATH');
  }
};

/** @returns {{ helm: string, kubeconform: string }} paths of the two programs, built if they are not there yet. */
export const tools = () => {
  const pins = ['go.mod', 'go.sum'].map(name => readFileSync(join(import.meta.dirname, name)));
  const key = createHash('sha256')
    .update(Buffer.concat(pins))
    .update(go(['env', 'GOVERSION']))
    .digest('hex');
  const folder = join(CACHE, `tools-${key.slice(0, 16)}`);
  if (!existsSync(folder)) {
    console.log('building helm and kubeconform');
    // Renamed when complete, so that a build cut short is not taken for one.
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    go(['build', '-mod=readonly', '-ldflags=-s -w', '-o', `${unfinished}/`, ...PACKAGES], {
      cwd: import.meta.dirname,
    });
    renameSync(unfinished, folder);
  }
  return { helm: join(folder, 'helm'), kubeconform: join(folder, 'kubeconform') };
};
