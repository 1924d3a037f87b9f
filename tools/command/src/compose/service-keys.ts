import { isSection, type Section } from './compose-file.js';
import type { Report } from './report.js';

/** What the conversion reads. */
const READ = ['image', 'build', 'ports', 'expose', 'environment', 'env_file', 'volumes', 'command', 'entrypoint'];
/** What has no effect here: Postern restarts, names and connects web services itself. */
const WITHOUT_EFFECT = [
  ...['annotations', 'attach', 'cap_drop', 'container_name', 'depends_on', 'develop', 'hostname', 'init', 'labels'],
  ...['logging', 'pull_policy', 'restart', 'stdin_open', 'tty'],
];
const SEPARATELY = ['deploy', 'healthcheck', 'links', 'networks', 'scale', 'stop_grace_period'];
const ACCEPTED = new Set([...READ, ...WITHOUT_EFFECT, ...SEPARATELY]);

/** What is left out, with a note that says what applies instead. */
const IGNORED: Readonly<Record<string, string>> = {
  cpus: 'the plan limits the CPU; set instance in a blueprint',
  mem_limit: 'the plan limits the memory; set instance in a blueprint',
  mem_reservation: 'the plan limits the memory; set instance in a blueprint',
  platform: 'images are built and pulled for the machine of the platform',
  user: 'instances have a user of their own, which is never root',
};

const OWN_MACHINE = 'Instances have no rights on the machine. Remove it, or run this service outside of Postern.';
const FILE = 'Files come from the image or a secret file. Copy it in the Dockerfile, or use postern files.';

const REFUSED: Readonly<Record<string, string>> = {
  cap_add: OWN_MACHINE,
  configs: FILE,
  devices: OWN_MACHINE,
  extends: 'Other files are not read. Print the complete file with docker compose config, and use it.',
  extra_hosts: 'Instances use public names and names of the project. Use the address itself in a variable.',
  gpus: OWN_MACHINE,
  ipc: OWN_MACHINE,
  network_mode: 'Each instance has a network of its own. Remove it, and use the names of services.',
  pid: OWN_MACHINE,
  privileged: OWN_MACHINE,
  profiles: 'Every service of the file runs. Remove profiles, or move the service into another file.',
  secrets: `${FILE} A secret can also be a variable of environment.`,
  security_opt: OWN_MACHINE,
  sysctls: OWN_MACHINE,
  tmpfs: 'Instances can write to /tmp. Remove it.',
  working_dir: 'Commands run in the WORKDIR of the image. Set it in the Dockerfile.',
};

const UNKNOWN = 'Nothing in Postern corresponds to it. Remove it, or write a postern.yaml.';

/** Refuses and notes the settings of a service that are not converted. */
export const checkKeys = (name: string, service: Section, report: Report): void => {
  for (const [key, value] of Object.entries(service)) {
    if (ACCEPTED.has(key) || key.startsWith('x-') || isWithoutEffect(key, value)) continue;
    const ignored = Object.hasOwn(IGNORED, key) ? IGNORED[key] : undefined;
    if (ignored !== undefined) report.note(`${key} of ${name} is ignored: ${ignored}.`);
    else report.refuse(`services.${name}.${key}`, Object.hasOwn(REFUSED, key) ? REFUSED[key]! : UNKNOWN);
  }
  checkDeploy(name, service['deploy'], report);
  checkNetworks(name, service['networks'], report);
  checkDependencies(name, service['depends_on'], report);
  for (const link of Array.isArray(service['links']) ? service['links'] : [])
    if (String(link).includes(':'))
      report.refuse(`services.${name}.links`, 'A web service has no second name. Use the name of the service.');
};

const isWithoutEffect = (key: string, value: unknown): boolean =>
  value === null ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (key === 'network_mode' && value === 'bridge');

const DEPLOY = new Set(['replicas', 'restart_policy', 'update_config', 'rollback_config', 'labels', 'endpoint_mode']);

const checkDeploy = (name: string, deploy: unknown, report: Report): void => {
  if (!isSection(deploy)) return;
  for (const [key, value] of Object.entries(deploy)) {
    if (DEPLOY.has(key) || (key === 'mode' && value === 'replicated')) continue;
    if (key === 'resources' && !reservesDevices(value))
      report.note(`deploy.resources of ${name} is ignored: the plan limits instances; set instance in a blueprint.`);
    else report.refuse(`services.${name}.deploy.${key}`, UNKNOWN);
  }
};

const reservesDevices = (resources: unknown): boolean =>
  isSection(resources) && isSection(resources['reservations']) && 'devices' in resources['reservations'];

const checkNetworks = (name: string, networks: unknown, report: Report): void => {
  if (!isSection(networks)) return;
  for (const [network, settings] of Object.entries(networks))
    if (isSection(settings) && Object.keys(settings).length > 0)
      report.refuse(
        `services.${name}.networks.${network}`,
        'Addresses and second names are not supported. Use the name of the service.',
      );
};

const checkDependencies = (name: string, dependencies: unknown, report: Report): void => {
  for (const [other, settings] of isSection(dependencies) ? Object.entries(dependencies) : [])
    if (isSection(settings) && settings['condition'] === 'service_completed_successfully')
      report.refuse(
        `services.${name}.depends_on.${other}`,
        `${other} is a task that ends, and a web service runs on. Remove it, and write a postern.yaml with a release_command.`,
      );
};

/** Refuses what the file has beside its services and Postern cannot run. */
export const checkFile = (content: Section, report: Report): void => {
  for (const key of Object.keys(content))
    if (!['name', 'version', 'services', 'networks', 'volumes', 'configs', 'secrets'].includes(key) && !/^x-/.test(key))
      report.refuse(
        key,
        key === 'include'
          ? 'Other files are not read. Print the complete file with docker compose config, and use it.'
          : UNKNOWN,
      );
  for (const section of ['networks', 'volumes'])
    for (const [key, settings] of isSection(content[section]) ? Object.entries(content[section]) : []) {
      const { external, driver, driver_opts } = isSection(settings) ? settings : ({} as Section);
      if (external) report.refuse(`${section}.${key}.external`, 'It exists outside of the file. Remove external.');
      else if ((driver && driver !== 'bridge' && driver !== 'local') || driver_opts)
        report.refuse(`${section}.${key}`, 'Drivers and their options are not supported. Remove them.');
    }
};
