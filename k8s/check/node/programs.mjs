/** The Go programs of a node, each built once from the modules that a go.mod and go.sum pin. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { go, KUBERNETES } from '../tools.mjs';
import { NODE_CACHE } from './settings.mjs';
import { withoutDnsProviders } from './traefik-module.mjs';

const CHECK = join(import.meta.dirname, '..');
const CONTAINERD = '2.2.3';
const TRAEFIK = '3.6.12';

const [major, minor] = KUBERNETES.split('.');
const kubernetesVersion = Object.entries({ gitVersion: `v${KUBERNETES}`, gitMajor: major, gitMinor: minor })
  .map(([variable, value]) => `-X k8s.io/component-base/version.${variable}=${value}`)
  .join(' ');
const kubernetes = name => ({
  name,
  module: 'control-plane',
  source: `k8s.io/kubernetes/cmd/${name}`,
  flags: kubernetesVersion,
});
const containerd = name => ({
  name,
  module: 'node/containerd',
  source: `github.com/containerd/containerd/v2/cmd/${name}`,
  flags: `-X github.com/containerd/containerd/v2/version.Version=v${CONTAINERD}`,
});
const buildkit = name => ({
  name,
  module: 'node/buildkit',
  source: `github.com/moby/buildkit/cmd/${name}`,
  flags: '',
});
const own = name => ({ name, module: `node/${name}`, source: '.', flags: '' });

const PROGRAMS = [
  kubernetes('kube-apiserver'),
  kubernetes('kube-controller-manager'),
  kubernetes('kubelet'),
  kubernetes('kube-scheduler'),
  kubernetes('kube-proxy'),
  kubernetes('kubectl'),
  { name: 'etcd', module: 'control-plane', source: 'go.etcd.io/etcd/server/v3', flags: '' },
  containerd('containerd'),
  containerd('ctr'),
  containerd('containerd-shim-runc-v2'),
  buildkit('buildkitd'),
  buildkit('buildctl'),
  {
    name: 'metrics-server',
    module: 'node/metrics-server',
    source: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
    flags: '',
  },
  {
    name: 'traefik',
    module: 'node/traefik',
    source: 'github.com/traefik/traefik/v3/cmd/traefik',
    flags: `-X github.com/traefik/traefik/v3/pkg/version.Version=${TRAEFIK}`,
    prepared: withoutDnsProviders,
    // Static, because it is the only file of its image.
    environment: { CGO_ENABLED: '0' },
  },
  own('coredns'),
  own('pause'),
];

const keyOf = ({ module, source, flags }) => {
  const files = ['go.mod', 'go.sum', 'main.go', 'dns/none.go']
    .map(name => join(CHECK, module, name))
    .filter(existsSync);
  const hash = createHash('sha256')
    .update(go(['env', 'GOVERSION']))
    .update(source)
    .update(flags);
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
};

const build = (program, target) => {
  const { module, source, flags, environment, prepared } = program;
  // Renamed when complete, so that a build that was interrupted is not used.
  const unfinished = `${target}.${process.pid}`;
  mkdirSync(dirname(target), { recursive: true });
  const { options = [], remove } = prepared?.() ?? {};
  try {
    go(['build', '-mod=readonly', ...options, `-ldflags=-s -w ${flags}`, '-o', unfinished, source], {
      cwd: join(CHECK, module),
      env: { ...process.env, ...environment },
    });
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { force: true });
    remove?.();
  }
};

const wantedPrograms = () =>
  PROGRAMS.map(program => ({ program, file: join(NODE_CACHE, 'programs', keyOf(program), program.name) }));

/** Whether nothing has to be built. */
export const areProgramsCached = () => wantedPrograms().every(({ file }) => existsSync(file));

/** Builds missing programs, and reports each. @returns {Record<string, string>} the paths of all programs. */
export const nodePrograms = () => {
  const wanted = wantedPrograms();
  const missing = wanted.filter(({ file }) => !existsSync(file));
  for (const [index, { program, file }] of missing.entries()) {
    process.stdout.write(`building ${program.name} (${index + 1} of ${missing.length}) … `);
    const start = performance.now();
    build(program, file);
    console.log(`${Math.round((performance.now() - start) / 1_000)} s`);
  }
  return Object.fromEntries(wanted.map(({ program, file }) => [program.name, file]));
};
