import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

const REGISTRY = ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'NODE_EXTRA_CA_CERTS'];
const NETWORK = [
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];
const USUAL = ['/usr/local/bin', '/usr/bin', '/bin'];

const pick = (names: readonly string[], variables: Variables): Record<string, string> =>
  Object.fromEntries(names.flatMap(name => (variables[name] === undefined ? [] : [[name, variables[name]]])));

/** How builds reach the registry that the host reaches; an address with credentials in it stays with the host. */
export const registryOf = (variables: Variables): Record<string, string> =>
  Object.fromEntries(Object.entries(pick(REGISTRY, variables)).filter(([, value]) => !/\/\/[^/]*@/.test(value)));

/** How git reaches the network. */
export const networkOf = (variables: Variables): Record<string, string> => pick(NETWORK, variables);

/** Where programs are found: the Node.js that runs us and the npm beside or before it come first. */
export const programPath = (variables: Variables): string => {
  const own = dirname(process.execPath);
  const known = [own, ...(variables.PATH ?? '').split(delimiter).filter(isAbsolute)];
  const npm = known.find(folder => isProgram(join(folder, 'npm')));
  return [...new Set([own, ...(npm ? [npm] : []), ...USUAL])].join(delimiter);
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
