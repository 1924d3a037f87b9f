import { type Blueprint, checkedBlueprint } from '../blueprint/blueprint.js';
import { UsageError } from '../errors.js';
import { type Application, applicationOf, withDatabases } from './applications.js';
import { type ComposeInput, readComposeFile } from './compose-file.js';
import { databasesOf } from './databases.js';
import { httpPortOf, referencesIn } from './references.js';
import { Report } from './report.js';
import { checkFile } from './service-keys.js';

export interface Conversion {
  readonly blueprint: Blueprint;
  /** What is different or left out, one sentence each. */
  readonly notes: readonly string[];
  /** The values of secret variables by `service/variable`. They are not in the blueprint. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Without a size in the file. */
const DISK_MIB = 1_024;

/** The blueprint of a Compose file. @throws UsageError that names everything that Postern cannot run */
export const convertCompose = (input: ComposeInput): Conversion => {
  const file = readComposeFile(input.file, input.text, input.lookup);
  const report = new Report();
  checkFile(file.content, report);
  const project = input.lookup('COMPOSE_PROJECT_NAME') || String(file.content['name'] ?? input.project);
  const databases = databasesOf(file, project, report);
  const applications = new Map<string, Application>();
  for (const [name, service] of Object.entries(file.services))
    if (!databases.has(name)) applications.set(name, applicationOf(name, service, file, input, report));
  checkDisks(applications, report);
  const ports = portsOf(applications, report);
  const services = [...applications].map(
    ([name, application]) => [name, withDatabases(name, application, ports, databases, report)] as const,
  );
  for (const name of file.unset) report.note(`The variable ${name} has no value: it is empty.`);
  if (report.refusals.length > 0)
    throw new UsageError(
      `Postern cannot run ${input.file}:\n${report.refusals.map(line => `  ${line}`).join('\n')}\nKeep the file for your machine, and give Postern another one with --file, or a postern.yaml.`,
    );
  const blueprint = checkedBlueprint(input.file, {
    project,
    services: Object.fromEntries(services.map(([name, { settings }]) => [name, settings])),
    databases: Object.fromEntries(
      [...databases.values()].map(({ database, image: { kind, version } }) => [
        database,
        { kind, ...(version !== undefined && { version }) },
      ]),
    ),
    disks: Object.fromEntries(
      [...applications].flatMap(([name, { disk }]) => (disk === undefined ? [] : [[name, { size_mib: DISK_MIB }]])),
    ),
  });
  return { blueprint, notes: report.notes, secrets: new Map(services.flatMap(([, { secrets }]) => secrets)) };
};

const checkDisks = (applications: ReadonlyMap<string, Application>, report: Report): void => {
  const users = new Map<string, string>();
  for (const [name, { disk, settings }] of applications) {
    if (disk === undefined) continue;
    const other = users.get(disk);
    if (other !== undefined)
      report.refuse(`services.${name}.volumes`, `${other} uses ${disk} as well. Only one web service can use a disk.`);
    if ((settings.max_instances ?? 1) > 1)
      report.refuse(
        `services.${name}.deploy.replicas`,
        'A web service with a disk runs one instance. Remove one of them.',
      );
    users.set(disk, name);
    report.note(`The volume ${disk} becomes a disk of ${DISK_MIB} MiB at /data. A postern.yaml can set its size.`);
  }
};

/** The port of each service: its own, or else the one that the URLs of the others name. */
const portsOf = (
  applications: ReadonlyMap<string, Application>,
  report: Report,
): ReadonlyMap<string, number | undefined> => {
  const ports = new Map([...applications].map(([name, { port }]) => [name, port]));
  const names = new Set(applications.keys());
  const references = [...applications.values()].flatMap(({ variables }) => referencesIn(variables, names));
  for (const reference of references) {
    const port = httpPortOf(reference);
    if (port !== undefined && ports.get(reference.service) === undefined) ports.set(reference.service, port);
  }
  for (const [name, { settings }] of applications) {
    if (ports.get(name) !== undefined) continue;
    if (settings.image === undefined)
      report.refuse(
        `services.${name}`,
        'It has no port, and a web service answers requests. If it listens, add expose with its port. For a worker, use a Procfile without a Dockerfile and workers of a postern.yaml; for a task before each release, release_command.',
      );
    else report.note(`${name} has no port: it must listen on the lowest port that its image exposes.`);
  }
  return ports;
};
