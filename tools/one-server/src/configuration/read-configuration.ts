import { type Document, parseDocument } from 'yaml';
import { z } from 'zod';
import { nearestName } from './nearest-name.js';
import { type Configuration, configurationSchema } from './schema.js';

/** JSON Schema of the settings of each service; the schema is empty where code parses the value. */
export type ServiceSettings = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** The settings that Postern derives from the rest of the file, and therefore does not take from `advanced`. */
export type DerivedSettings = (service: string) => readonly string[];

/** Lists every problem of the file, as `key: reason`. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const MAX_BYTES = 65_536;

/**
 * Reads the text of config.yaml.
 * @throws ConfigurationError with all problems: the key, the reason and what to write instead.
 */
export const readConfiguration = (
  text: string,
  services: ServiceSettings,
  derived: DerivedSettings = () => [],
): Configuration => {
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new ConfigurationError([`The file is larger than ${MAX_BYTES} bytes; it needs about ten lines.`]);
  const document = parseDocument(text, { uniqueKeys: true, merge: false, maxAliasCount: 0 } as object);
  const [broken] = document.errors;
  if (broken) throw new ConfigurationError([`The file is not valid YAML: ${broken.message.split('\n')[0]}`]);
  const content = contentOf(document);
  const parsed = configurationSchema.safeParse(content);
  if (!parsed.success) throw new ConfigurationError(parsed.error.issues.flatMap(issue => problemsOf(issue, content)));
  const problems = [...conflictsOf(parsed.data), ...advancedProblems(parsed.data, services, derived)];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return parsed.data;
};

const contentOf = (document: Document): unknown => {
  try {
    return document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch (error) {
    throw new ConfigurationError([
      `The file is not usable: ${(error as Error).message}. Write values without aliases.`,
    ]);
  }
};

const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const isMissing = (path: readonly PropertyKey[], content: unknown): boolean =>
  path.reduce<unknown>((block, key) => (block as Record<PropertyKey, unknown> | null | undefined)?.[key], content) ===
  undefined;

const problemsOf = (issue: z.core.$ZodIssue, content: unknown): string[] => {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => `${pathOf([...issue.path, key])}: ${unknownKey(key, namesAt(issue.path))}`);
  if (issue.code === 'invalid_union') {
    const deeper = issue.errors.find(errors => errors.some(({ path }) => path.length > 0));
    if (deeper) return deeper.flatMap(inner => problemsOf({ ...inner, path: [...issue.path, ...inner.path] }, content));
  }
  const missing = isMissing(issue.path, content);
  return [`${pathOf(issue.path) || 'config.yaml'}: ${missing ? 'is required, and ' : ''}${issue.message}`];
};

const unknownKey = (key: string, names: readonly string[]): string => {
  const nearest = nearestName(key, names);
  return nearest
    ? `is not a setting; did you mean "${nearest}"?`
    : `is not a setting; the settings here are ${names.join(', ')}`;
};

/** The names of the settings in a block. */
const namesAt = (path: readonly PropertyKey[]): readonly string[] => {
  let schema: z.core.JSONSchema.BaseSchema = z.toJSONSchema(configurationSchema, {
    io: 'input',
    unrepresentable: 'any',
  });
  for (const key of path) {
    const next = schema.properties?.[String(key)];
    if (typeof next !== 'object') return [];
    schema = next.anyOf?.find(each => typeof each === 'object' && each.properties !== undefined) ?? next;
  }
  return Object.keys(schema.properties ?? {});
};

const isBelow = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`);

/** Names that would be served twice. */
const conflictsOf = ({ host, apps, mail }: Configuration): string[] => [
  ...(apps !== undefined && isBelow(host, apps)
    ? [`apps: must not contain ${host}, the host of the gateway; use another domain, such as apps.${host}`]
    : []),
  ...(apps !== undefined && isBelow(mail.domain, apps)
    ? [`mail.domain: must not be below ${apps}, whose names are web services; use another domain`]
    : []),
];

const advancedProblems = ({ advanced }: Configuration, services: ServiceSettings, derived: DerivedSettings): string[] =>
  Object.entries(advanced).flatMap(([service, settings]) => {
    const known = services[service];
    if (!known) return [`advanced.${service}: ${unknownKey(service, Object.keys(services))}`];
    return Object.entries(settings).flatMap(([name, value]) => {
      const problem = settingProblem(name, value, known, derived(service));
      return problem === undefined ? [] : [`advanced.${service}.${name}: ${problem}`];
    });
  });

const settingProblem = (
  name: string,
  value: unknown,
  known: ServiceSettings[string],
  derived: readonly string[],
): string | undefined => {
  const schema = known[name];
  if (!schema) return unknownKey(name, Object.keys(known));
  if (derived.includes(name)) return 'follows from the rest of config.yaml; change that instead';
  if (/[\r\n\0]/.test(String(value))) return 'must be one line';
  if (!('type' in schema || 'enum' in schema || 'anyOf' in schema)) return undefined;
  const checked = z.fromJSONSchema(schema as never).safeParse(value);
  return checked.success ? undefined : (checked.error.issues[0]?.message ?? 'is invalid');
};
