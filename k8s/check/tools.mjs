/**
 * The programs that the check needs, built from the Go modules that a go.mod and go.sum pin, and kept in
 * node_modules/.cache until either changes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
export const CACHE = join(ROOT, 'node_modules/.cache/postern-kubernetes');

/** Kubernetes version of the schemas, and of Helm's --kube-version. */
export const KUBERNETES = '1.36.3';

/** @throws with the output of Go, or with installation instructions. */
export const go = (args, options = {}) => {
  try {
    return execFileSync('go', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('Go 1.26 or newer is needed to build the programs of this check, and there is no `go` on PATH');
  }
};

/** Builds the packages of one module file, unless they are there already. @returns {string} their folder. */
export const built = (name, moduleFolder, packages, linkerFlags) => {
  const pins = ['go.mod', 'go.sum'].map(file => readFileSync(join(moduleFolder, file)));
  const key = createHash('sha256')
    .update(Buffer.concat(pins))
    .update(go(['env', 'GOVERSION']))
    .update(linkerFlags)
    .digest('hex');
  const folder = join(CACHE, `${name}-${key.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  console.log(`building ${name}; the first time takes minutes`);
  // Renamed when complete, so that an interrupted build is not used.
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  go(['build', '-mod=readonly', `-ldflags=-s -w ${linkerFlags}`, '-o', `${unfinished}/`, ...packages], {
    cwd: moduleFolder,
  });
  renameSync(unfinished, folder);
  return folder;
};

/** @returns {{ helm: string, kubeconform: string }} paths of the programs. */
export const tools = () => {
  const packages = ['helm.sh/helm/v3/cmd/helm', 'github.com/yannh/kubeconform/cmd/kubeconform'];
  const folder = built('helm-and-kubeconform', import.meta.dirname, packages, '');
  return { helm: join(folder, 'helm'), kubeconform: join(folder, 'kubeconform') };
};

/** @returns {{ etcd: string, apiServer: string, controllers: string }} paths of the programs. */
export const controlPlanePrograms = () => {
  const [major, minor] = KUBERNETES.split('.');
  const version = Object.entries({ gitVersion: `v${KUBERNETES}`, gitMajor: major, gitMinor: minor })
    .map(([variable, value]) => `-X k8s.io/component-base/version.${variable}=${value}`)
    .join(' ');
  const packages = [
    'k8s.io/kubernetes/cmd/kube-apiserver',
    'k8s.io/kubernetes/cmd/kube-controller-manager',
    'go.etcd.io/etcd/server/v3',
  ];
  const folder = built('control-plane', join(import.meta.dirname, 'control-plane'), packages, version);
  return {
    etcd: join(folder, 'server'),
    apiServer: join(folder, 'kube-apiserver'),
    controllers: join(folder, 'kube-controller-manager'),
  };
};
