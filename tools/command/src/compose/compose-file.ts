import { parseDocument } from 'yaml';
import { UsageError } from '../errors.js';
import { interpolation, type Lookup } from './interpolation.js';

export type Section = Readonly<Record<string, unknown>>;

/** A Compose file, and what its conversion needs from around it. */
export interface ComposeInput {
  /** How messages name it. */
  readonly file: string;
  readonly text: string;
  /** The project if neither the file nor COMPOSE_PROJECT_NAME names one. */
  readonly project: string;
  /** The URL of the repository that contains the file; undefined without one. */
  readonly repository: string | undefined;
  /** The folder of the file in the repository. */
  readonly folder: string;
  readonly lookup: Lookup;
  /** The variables of an `env_file`; undefined if there is no such file. */
  readonly envFile: (path: string) => Readonly<Record<string, string>> | undefined;
}

/** A Compose file after the interpolation of its variables. */
export interface ComposeFile {
  readonly content: Section;
  readonly services: Readonly<Record<string, Section>>;
  /** Paths such as `services.web.command` whose value comes from the environment or from `.env`. */
  readonly external: ReadonlySet<string>;
  /** Variables without a value. */
  readonly unset: ReadonlySet<string>;
}

export const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The elements of a list; a text or number is a list of one. */
export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** Reads the text of a Compose file. @throws UsageError for invalid YAML and variables, with their path */
export const readComposeFile = (file: string, text: string, lookup: Lookup): ComposeFile => {
  const document = parseDocument(text, { uniqueKeys: true, merge: true });
  const [syntax] = document.errors;
  if (syntax) throw new UsageError(`${file} is not valid YAML: ${syntax.message.split('\n')[0]}`);
  const external = new Set<string>();
  const unset = new Set<string>();
  const replaced = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => replaced(each, `${path}.${index}`));
    if (isSection(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, replaced(each, path === '' ? key : `${path}.${key}`)]),
      );
    if (typeof value !== 'string') return value;
    try {
      const result = interpolation(value, lookup);
      if (result.external) external.add(path);
      for (const name of result.unset) unset.add(name);
      return result.text;
    } catch (error) {
      throw error instanceof UsageError ? new UsageError(`${file}: ${path}: ${error.message}.`) : error;
    }
  };
  // Aliases can make a small file endless.
  const content = replaced(document.toJS({ maxAliasCount: 100 }) ?? {}, '');
  const services = isSection(content) ? content['services'] : undefined;
  if (!isSection(content) || !isSection(services) || Object.keys(services).length === 0)
    throw new UsageError(`${file} has no services. It must be a Compose file with the section services.`);
  const invalid = Object.keys(services).find(name => !isSection(services[name]));
  if (invalid !== undefined) throw new UsageError(`${file}: services.${invalid} has no settings.`);
  return { content, services: services as Readonly<Record<string, Section>>, external, unset };
};
