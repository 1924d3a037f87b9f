/** Runs Helm in the root of the checkout, without the user's configuration. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { hostedServices } from '../../tools/setup/services.mjs';
import { CACHE, KUBERNETES, ROOT, tools } from './tools.mjs';

export const SERVICES = hostedServices(ROOT);

/** Ignores the user's Helm configuration. */
export const helmEnvironment = {
  ...process.env,
  HELM_CACHE_HOME: join(CACHE, 'helm/cache'),
  HELM_CONFIG_HOME: join(CACHE, 'helm/config'),
  HELM_DATA_HOME: join(CACHE, 'helm/data'),
};

/** @throws with the standard error of Helm. */
export const helm = args =>
  execFileSync(tools().helm, args, {
    cwd: ROOT,
    env: helmEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** The objects that `helm upgrade --install` with these arguments would apply, as YAML. */
export const render = args =>
  helm(['template', ...args, '--kube-version', KUBERNETES, '--api-versions', 'monitoring.coreos.com/v1']);

export const objectsOf = yaml =>
  parseAllDocuments(yaml)
    .map(document => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS();
    })
    .filter(object => object !== null);

/** @throws if there is no such object. */
export const find = (objects, kind, name) => {
  const found = objects.find(object => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
};

const installation = ['-f', 'k8s/examples/installation.yaml', '-f', 'k8s/examples/brokers.yaml'];

/** Helm arguments of the documented installation, for the postern chart and for one service. */
export const whole = ['postern', 'k8s/charts/postern', '--namespace', 'postern', ...installation];
export const alone = service => [
  service,
  'k8s/charts/service',
  '--namespace',
  'postern',
  ...installation,
  '-f',
  `k8s/values/${service}.yaml`,
];

export const trial = ['postern', 'k8s/charts/postern', '--namespace', 'postern'].concat(
  ['installation', 'trial'].flatMap(name => ['-f', `k8s/examples/${name}.yaml`]),
);

/** Imports a built module of the services. @throws if they are not built. */
export const built = path => {
  const file = join(ROOT, path);
  if (!existsSync(file)) throw new Error(`${path} is missing: run \`npm run build\` first`);
  return import(pathToFileURL(file).href);
};
