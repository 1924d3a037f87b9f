import type { DockerfileOptions } from '@postern/runtime';
import { DOCKERFILE } from '../../../infrastructure/builders/dockerfile.js';
import type { ContainerTool } from './container-tool.js';

/** Folders and files that the script leaves in its home. */
export const BUILT = { image: 'image', configuration: 'image.json' };

/** Prefix of the variables that hold the values of secrets. */
const SECRET = 'POSTERN_SECRET_';

/** The name of the secret that holds all variables as JSON. */
const ALL = 'environment';

/**
 * The tool stores all files below the home folder and reads no settings of the host. Layers use overlayfs, or copies (vfs) if
 * overlayfs cannot be mounted on the file system of the home folder.
 */
const SCRIPT = `cd "$HOME" && mkdir -p .config/containers run probe/lower probe/upper probe/work probe/merged || exit 125
# Secrets are kept here, and mounted again with other options than this machine's.
mount -t tmpfs -o mode=1777,size=64m tmpfs /dev/shm || exit 125
# For a name without a registry, such as FROM node:24, the tool locks a file in /var/cache.
mount -t tmpfs -o mode=755,size=1m tmpfs /var && ln -s /tmp /var/tmp || exit 125
driver=vfs
if mount -t overlay overlay -o lowerdir=probe/lower,upperdir=probe/upper,workdir=probe/work probe/merged 2>/dev/null
then umount probe/merged; driver=overlay
fi
echo '{"default":[{"type":"insecureAcceptAnything"}]}' > .config/containers/policy.json
echo 'unqualified-search-registries = ["docker.io"]' > registries.conf
cat > storage.conf <<END
[storage]
driver = "$driver"
graphroot = "$HOME/storage"
runroot = "$HOME/run/storage"
END
cat > containers.conf <<END
[containers]
cgroups = "disabled"
default_ulimits = []
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
tmp_dir = "$HOME/run/engine"
END
export XDG_RUNTIME_DIR="$HOME/run" CONTAINERS_REGISTRIES_CONF="$HOME/registries.conf"
export CONTAINERS_STORAGE_CONF="$HOME/storage.conf" CONTAINERS_CONF="$HOME/containers.conf"
tool=$1; shift
"$tool" build "$@" --iidfile "$HOME/id" --output "type=local,dest=$HOME/${BUILT.image}" /app || exit
"$tool" inspect --type image "$(cat "$HOME/id")" > "$HOME/${BUILT.configuration}"`;

/** Secrets of a build by name, each with the variable in which the tool finds its value. */
export const secretsOf = (environment: Readonly<Record<string, string>>): ReadonlyMap<string, [string, string]> =>
  new Map(
    Object.entries({ ...environment, [ALL]: JSON.stringify(environment) }).map(([name, value]) => [
      name,
      [`${SECRET}${name}`, value],
    ]),
  );

/** The command that builds the image of a Dockerfile in /app. */
export const buildCommand = (
  tool: ContainerTool,
  secrets: ReadonlyMap<string, [string, string]>,
  { path = DOCKERFILE, target, buildArguments }: DockerfileOptions,
): readonly string[] => [
  ...['/bin/sh', '-c', SCRIPT, 'build', tool],
  // Steps use the network and the control groups of the sandbox. Layers are not cached.
  ...['--isolation=chroot', '--network=host', '--format=docker', '--layers=false', `--file=/app/${path}`],
  ...(target === undefined ? [] : [`--target=${target}`]),
  ...Object.entries(buildArguments).map(([name, value]) => `--build-arg=${name}=${value}`),
  ...[...secrets].map(([name, [variable]]) => `--secret=id=${name},env=${variable}`),
];
