import type { BuildOrder } from '@postern/runtime';

export interface BuildObjectSettings {
  /** Where images go, as `registry.example.com/postern/web-services`. */
  readonly repository: string;
  readonly insecureRegistry: boolean;
  /** What images are made on, and what pushes them; has Node.js, git is not needed. */
  readonly baseImage: string;
  /** Rootless BuildKit, which brings git along. */
  readonly builderImage: string;
  /** A Secret of the type kubernetes.io/dockerconfigjson, for pushing; builds do not see it. */
  readonly registrySecret: string | undefined;
  /** The same, for pulling the images that Dockerfiles begin with; builds see it. */
  readonly basePullSecret: string | undefined;
  /** Certificates of authorities, beside the usual ones, that the registry may have its certificate from. */
  readonly registryAuthorities: string | undefined;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly memoryMiB: number;
  readonly cpuMillicores: number;
  readonly diskMiB: number;
  readonly allowFileRepositories: boolean;
}

/** Files that run in the image, by their content. */
export interface ImagePrograms {
  readonly build: { readonly name: string; readonly text: string };
  readonly staticServer: { readonly name: string; readonly text: string };
  /** Runs beside the build, without its files. */
  readonly push: { readonly name: string; readonly text: string };
}

/** Whom the processes of builds and of their images run as. */
export const USER = 1000;

export const ENVIRONMENT = 'environment';

/** Each variable is a secret of its own for a Dockerfile, unless its name is that of all together. Keys have at most 253 characters. */
export const variablesOf = ({ environment }: BuildOrder) =>
  Object.entries(environment)
    .filter(([name]) => name !== ENVIRONMENT)
    .map(([name, value], index) => ({ name, value, key: `variable-${index}` }));

/** Files of the Secret of a build. */
export const PLAN_FILES = ['fetch.sh', 'gitconfig', 'Dockerfile', 'order.json'];

/** In the Secret of a build, for what pushes. */
export const AUTHORITIES = 'authorities.crt';
