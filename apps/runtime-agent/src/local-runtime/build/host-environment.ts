import { realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { isProgram } from '../../infrastructure/is-program.js';

type Variables = Readonly<Record<string, string | undefined>>;

const REGISTRY = [
  'npm_config_registry',
  'NPM_CONFIG_REGISTRY',
  'NODE_EXTRA_CA_CERTS',
  'PIP_INDEX_URL',
  'PIP_CERT',
  'UV_DEFAULT_INDEX',
  'GOPROXY',
  'GONOSUMDB',
  'GOSUMDB',
  'SSL_CERT_FILE',
];
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];
const NETWORK = [...PROXIES, 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** What an operator installs beside the distribution comes before its packages, which are often older. */
const USUAL = ['/usr/local/bin', '/usr/local/go/bin', '/usr/local/cargo/bin', '/usr/bin', '/bin'];

const pick = (names: readonly string[], variables: Variables): Record<string, string> =>
  Object.fromEntries(names.flatMap(name => (variables[name] === undefined ? [] : [[name, variables[name]]])));

/** Omits values with credentials in a URL; these stay on the host. */
const withoutCredentials = (variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => !/\/\/[^/]*@/.test(value)));

/** Package registry settings of the host, for builds. */
export const registryOf = (variables: Variables): Record<string, string> =>
  withoutCredentials(pick(REGISTRY, variables));

/** Proxy settings for image builds, which do not have the certificate files of the host. */
export const proxiesOf = (variables: Variables): Record<string, string> => withoutCredentials(pick(PROXIES, variables));

/** Network settings for git. Git trusts additional certificate authorities only through GIT_SSL_CAINFO. */
export const networkOf = (variables: Variables): Record<string, string> => ({
  ...pick(NETWORK, variables),
  ...(variables['SSL_CERT_FILE'] !== undefined && { GIT_SSL_CAINFO: variables['SSL_CERT_FILE'] }),
});

/** The PATH of builds and web services. The Node.js that runs Postern comes first, then the first npm that is found. */
export const programPath = (variables: Variables): string => {
  const own = dirname(process.execPath);
  const known = [own, ...(variables.PATH ?? '').split(delimiter).filter(isAbsolute)];
  const npm = known.find(folder => isProgram(join(folder, 'npm')));
  return [...new Set([own, ...(npm && !USUAL.includes(npm) ? [npm] : []), ...USUAL])].join(delimiter);
};

/** Folders outside the system directories that programs of the PATH need to run. */
export const programFolders = (path: string): readonly string[] => {
  const real = path.split(delimiter).flatMap(folder => {
    try {
      return [realpathSync(folder)];
    } catch {
      return [];
    }
  });
  const outside = real.filter(folder => !/^\/(usr|bin|sbin|lib\w*|nix)(\/|$)/.test(folder));
  const folders = outside.map(folder => (basename(folder) === 'bin' ? dirname(folder) : folder));
  return [...new Set(folders)].filter(folder => folder !== '/');
};
