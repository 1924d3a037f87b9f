/** Images that builds and web services need in addition to Postern's: rootless BuildKit, a registry, metrics-server, Traefik. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { go } from '../../tools.mjs';
import { METRICS_IMAGE, REGISTRY_IMAGE, TRAEFIK_IMAGE } from '../settings.mjs';
import { programLayer } from './base-layers.mjs';
import { layer, layerIn } from './layers.mjs';

/** The default of POSTERN_KUBERNETES_BUILDER_IMAGE. */
const BUILDER_IMAGE = 'docker.io/moby/buildkit:v0.25.1-rootless';
const USER = 1_000;
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';

/** BuildKit's script, as in its official images. */
const daemonless = () => {
  const cwd = join(import.meta.dirname, '../buildkit');
  const { Dir } = JSON.parse(go(['mod', 'download', '-json', 'github.com/moby/buildkit'], { cwd }));
  return join(Dir, 'examples/buildctl-daemonless/buildctl-daemonless.sh');
};

/** Equivalent of BuildKit's `rootless` image, with Debian's rootlesskit, runc and newuidmap. */
const builderLayer = (debian, { buildkitd, buildctl }) => {
  const files = {
    buildkitd,
    buildctl,
    'buildctl-daemonless.sh': daemonless(),
    'buildkit-runc': `${debian}/usr/sbin/runc`,
    rootlesskit: `${debian}/usr/bin/rootlesskit`,
    newuidmap: `${debian}/usr/bin/newuidmap`,
    newgidmap: `${debian}/usr/bin/newgidmap`,
  };
  const key = createHash('sha256').update(buildkitd).update(buildctl).update(basename(debian)).digest('hex');
  return layer('buildkit', key.slice(0, 16), content => {
    const made = (path, mode = 0o755) => {
      mkdirSync(join(content, path), { recursive: true });
      chmodSync(join(content, path), mode);
    };
    for (const folder of ['usr/local/bin', 'etc', 'usr/lib/x86_64-linux-gnu']) made(folder);
    for (const [name, from] of Object.entries(files)) {
      copyFileSync(from, join(content, 'usr/local/bin', name));
      chmodSync(join(content, 'usr/local/bin', name), 0o755);
    }
    // File capabilities, because set-uid programs may not write the maps of a user namespace without more.
    for (const [name, capability] of Object.entries({ newuidmap: 'cap_setuid', newgidmap: 'cap_setgid' }))
      execFileSync('setcap', [`${capability}=ep`, join(content, 'usr/local/bin', name)]);
    copyFileSync(
      `${debian}/usr/lib/x86_64-linux-gnu/libsubid.so.4.0.0`,
      join(content, 'usr/lib/x86_64-linux-gnu/libsubid.so.4'),
    );
    for (const name of ['subuid', 'subgid']) writeFileSync(join(content, 'etc', name), 'user:100000:65536\n');
    const owned = ['home/user', 'home/user/.local', 'home/user/.local/tmp', 'home/user/.local/share'];
    for (const folder of [...owned, 'home/user/.local/share/buildkit', 'run/user/1000']) {
      made(folder);
      chownSync(join(content, folder), USER, USER);
    }
  });
};

/** Debian's CA certificates and that of the run, as in an image for an organisation with a private CA. */
const authorityLayer = (folder, base) =>
  layerIn(folder, 'authority', content => {
    mkdirSync(join(content, 'etc/ssl/certs'), { recursive: true });
    const usual = execFileSync('tar', ['-xOf', base, `./${CERTIFICATES}`], { maxBuffer: 2 ** 24 });
    writeFileSync(join(content, CERTIFICATES), `${usual}${readFileSync(join(folder, 'ca.crt'))}`);
  });

const registryLayer = debian =>
  layer('registry', basename(debian), content =>
    copyFileSync(`${debian}/usr/bin/docker-registry`, join(content, 'docker-registry')),
  );

/** @param base the layer of Debian, and `users` the one with further users. */
export const runtimeImages = async ({ debian, programs, folder, base, users }) => [
  {
    name: BUILDER_IMAGE,
    config: {
      User: `${USER}:${USER}`,
      Entrypoint: ['rootlesskit', 'buildkitd'],
      Env: [
        'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        'HOME=/home/user',
        'USER=user',
        'XDG_RUNTIME_DIR=/run/user/1000',
        'TMPDIR=/home/user/.local/tmp',
        'BUILDKIT_HOST=unix:///run/user/1000/buildkit/buildkitd.sock',
      ],
    },
    layers: [base, users, await builderLayer(debian, programs), await authorityLayer(folder, base)],
  },
  {
    name: REGISTRY_IMAGE,
    config: { Entrypoint: ['/docker-registry', 'serve'] },
    layers: [base, await registryLayer(debian)],
  },
  {
    name: TRAEFIK_IMAGE,
    config: { Entrypoint: ['/traefik'] },
    layers: [await programLayer('traefik', programs.traefik)],
  },
  {
    name: METRICS_IMAGE,
    config: { Entrypoint: ['/metrics-server'] },
    layers: [base, await programLayer('metrics-server', programs['metrics-server'])],
  },
];
