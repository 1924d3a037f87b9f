import type { z } from 'zod';
import type { service as serviceShape } from '../blueprint/blueprint.js';
import { buildOf, contextOf } from './build.js';
import { type ComposeFile, type ComposeInput, isSection, listOf, type Section } from './compose-file.js';
import type { ConvertedDatabase } from './databases.js';
import { portOf } from './ports.js';
import { httpPortOf, internalHostOf, namesDatabase, referencesIn, withInternalHosts } from './references.js';
import type { Report } from './report.js';
import { checkKeys } from './service-keys.js';
import { startOf } from './start.js';
import { type Variable, variablesOf } from './variables.js';
import { diskOf } from './volumes.js';

type Settings = z.input<typeof serviceShape>;

/** A service that becomes a web service, before its references to others are replaced. */
export interface Application {
  readonly settings: Settings;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly port: number | undefined;
  /** The named volume that becomes its disk. */
  readonly disk: string | undefined;
  /** Services that start before it. */
  readonly needs: readonly string[];
}

export const applicationOf = (
  name: string,
  service: Section,
  file: ComposeFile,
  input: ComposeInput,
  report: Report,
): Application => {
  checkKeys(name, service, report);
  const { build, image } = service;
  if (build === undefined && image === undefined)
    report.refuse(`services.${name}`, 'It has neither a build nor an image. Add one.');
  const variables = variablesOf(name, service, file, input, report);
  const source = build === undefined ? { image: String(image) } : buildOf(name, build, variables, file, input, report);
  const given = Number(variables.get('PORT')?.value);
  if (variables.delete('PORT')) report.note(`PORT of ${name} is left out: Postern sets it to the port.`);
  return {
    settings: { ...source, ...startOf(name, service, file, report) },
    variables,
    port: portOf(name, service, report) ?? (given > 0 ? given : undefined),
    disk: diskOf(name, service, { context: contextOf(build, input.folder), folder: input.folder }, report),
    needs: [...namesIn(service['depends_on']), ...namesIn(service['links'])],
  };
};

const namesIn = (value: unknown): readonly string[] =>
  isSection(value) ? Object.keys(value) : listOf(value).map(String);

/** The web service with attached databases, and with the names that web services have in their project. */
export const withDatabases = (
  name: string,
  { settings, variables, needs }: Application,
  ports: ReadonlyMap<string, number | undefined>,
  databases: ReadonlyMap<string, ConvertedDatabase>,
  report: Report,
): { readonly settings: Settings; readonly secrets: readonly (readonly [string, string])[] } => {
  const kept = new Map(variables);
  const attached = attachmentsOf(name, kept, needs, databases, report);
  checkReferences(name, kept, ports, report);
  const env = new Map<string, string | { secret: true }>();
  const secrets: (readonly [string, string])[] = [];
  for (const [key, { value, secret }] of kept) {
    const text = withInternalHosts(value, ports);
    env.set(key, secret ? { secret: true } : text);
    if (secret) secrets.push([`${name}/${key}`, text]);
  }
  const port = ports.get(name);
  const references = { env: Object.fromEntries(env), databases: attached };
  return { settings: { ...settings, ...(port !== undefined && { port }), ...references }, secrets };
};

/** Removes the variables that attached URLs replace. */
const attachmentsOf = (
  name: string,
  variables: Map<string, Variable>,
  needs: readonly string[],
  databases: ReadonlyMap<string, ConvertedDatabase>,
  report: Report,
): Record<string, string> => {
  const attached: Record<string, string> = {};
  const references = referencesIn(variables, new Set(databases.keys()));
  for (const [host, { database, image }] of databases) {
    const urls = references.filter(({ service }) => service === host);
    const [first, ...others] = urls.filter(({ scheme, isWhole }) => isWhole && namesDatabase(image.kind, scheme));
    const hosts = [...variables].filter(([key, { value }]) => namesHost(key, value, host));
    if (urls.length === 0 && hosts.length === 0 && !needs.includes(host)) continue;
    const variable = first?.variable ?? (image.kind === 'relational' ? 'DATABASE_URL' : 'REDIS_URL');
    if (first) variables.delete(variable);
    if (variables.has(variable) || Object.values(attached).includes(variable)) {
      report.refuse(
        `services.${name}.environment.${variable}`,
        `The URL of ${host} needs this variable, which is in use. Add a variable whose value is a URL of ${host}.`,
      );
      continue;
    }
    attached[database] = variable;
    report.note(`${variable} of ${name} gets the URL of ${database}${schemeNote(first?.scheme, image.kind)}.`);
    for (const { variable: key } of others) {
      variables.delete(key);
      report.note(`${key} of ${name} is left out: have ${name} read ${variable}, which has the URL of ${host}.`);
    }
    for (const [key] of hosts)
      report.note(`${key} of ${name} names ${host}, which has no such host here: have ${name} read ${variable}.`);
    for (const { variable: key } of urls.filter(({ variable: key }) => variables.has(key)))
      report.note(`${key} of ${name} contains a URL of ${host}, which is not replaced: have ${name} read ${variable}.`);
  }
  return attached;
};

/** Whether a value is a host, with or without a port, and not a word that is the same by chance. */
const namesHost = (key: string, value: string, host: string): boolean =>
  value === host
    ? /HOST|ADDR|SERVER|UPSTREAM|ENDPOINT/i.test(key)
    : /^:\d/.test(value.slice(host.length)) && value.startsWith(host);

/** `postgres:` and `postgresql:` mean the same; other schemes choose a driver or TLS. */
const schemeNote = (scheme: string | undefined, kind: 'relational' | 'key_value'): string => {
  const own = kind === 'relational' ? 'postgresql' : 'redis';
  return scheme === undefined || scheme === own || scheme === 'postgres'
    ? ''
    : `, which begins with ${own}:// and not with ${scheme}://`;
};

const checkReferences = (
  name: string,
  variables: ReadonlyMap<string, Variable>,
  ports: ReadonlyMap<string, number | undefined>,
  report: Report,
): void => {
  for (const reference of referencesIn(variables, new Set(ports.keys()))) {
    const { variable, service, scheme, port } = reference;
    const path = `services.${name}.environment.${variable}`;
    const answered = ports.get(service);
    const called = httpPortOf(reference);
    if (called === undefined)
      report.refuse(
        path,
        `Services reach each other over plain HTTP only, and it names ${service} by ${scheme}://. Use http:// if ${service} answers it, or a server elsewhere.`,
      );
    else if (called !== answered)
      report.refuse(path, `It names port ${called} of ${service}, which answers at ${answered}. Use one port in both.`);
    else
      report.note(
        `${variable} of ${name}: ${scheme}://${service}${port === undefined ? '' : `:${port}`} becomes ${scheme}://${internalHostOf(service)}:${answered}.`,
      );
  }
  for (const [key, { value }] of variables) {
    const [host = ''] = value.split(':');
    if (ports.has(host) && namesHost(key, value, host))
      report.note(
        `${key} of ${name} names ${host}, whose host is ${internalHostOf(host)} here. Change it if it is a host.`,
      );
  }
};
