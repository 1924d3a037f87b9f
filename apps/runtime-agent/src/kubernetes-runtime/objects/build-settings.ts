import type { BuildOrder } from '@postern/runtime';

export interface BuildObjectSettings {
  /** The repository for images, such as `registry.example.com/postern/web-services`. */
  readonly repository: string;
  readonly insecureRegistry: boolean;
  /** The base image of built images, which also runs the pusher; has Node.js, git is not needed. */
  readonly baseImage: string;
  /** Rootless BuildKit, including git. */
  readonly builderImage: string;
  /** A Secret of the type kubernetes.io/dockerconfigjson, for pushing; builds cannot read it. */
  readonly registrySecret: string | undefined;
  /** A Secret of the same type, for pulling the base images of Dockerfiles; builds can read it. */
  readonly basePullSecret: string | undefined;
  /** CA certificates that are trusted for the registry, in addition to the default ones. */
  readonly registryAuthorities: string | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly memoryMiB: number;
  readonly cpuMillicores: number;
  readonly diskMiB: number;
  readonly allowFileRepositories: boolean;
}

/** Files that run in the image, by content. */
export interface ImagePrograms {
  readonly build: { readonly name: string; readonly text: string };
  readonly staticServer: { readonly name: string; readonly text: string };
  /** Runs in a separate container, without the files of the build. */
  readonly push: { readonly name: string; readonly text: string };
}

/** The user id of processes of builds and of their images. */
export const USER = 1000;

export const ENVIRONMENT = 'environment';

/**
 * Each variable is a separate secret for a Dockerfile, unless it has the name of the secret with all variables. Keys
 * have at most 253 characters.
 */
export const variablesOf = ({ environment }: BuildOrder) =>
  Object.entries(environment)
    .filter(([name]) => name !== ENVIRONMENT)
    .map(([name, value], index) => ({ name, value, key: `variable-${index}` }));

/** Files of the Secret of a build. */
export const PLAN_FILES = ['fetch.sh', 'gitconfig', 'Dockerfile', 'order.json'];

/** The key of the CA certificates in the Secret of a build, for the pusher. */
export const AUTHORITIES = 'authorities.crt';
