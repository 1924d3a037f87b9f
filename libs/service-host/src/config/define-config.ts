import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { hostSettings } from './settings.js';

const PREFIX = 'POSTERN_';

type Shape = Record<string, z.ZodType>;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigDefinition<S extends Shape = Shape> {
  readonly shape: S;
  /** Reads the environment; throws a `ConfigError` that lists all problems. */
  read(environment: Environment): { readonly [K in keyof S]: z.output<S[K]> };
}

/** The configuration object of a definition. */
export type ConfigOf<D extends { read(environment: Environment): unknown }> = ReturnType<D['read']>;

/** The settings of the host. */
export type HostConfig = ConfigOf<ConfigDefinition<typeof hostSettings>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map(problem => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Defines the settings of a service, in addition to those of every service: `relayHost` is read from
 * `POSTERN_RELAY_HOST`, or from the file that `POSTERN_RELAY_HOST_FILE` names. Every setting has a description. An empty
 * variable counts as unset.
 */
export const defineConfig = <S extends Shape>(own: S): ConfigDefinition<S & typeof hostSettings> =>
  defineSettings({ ...hostSettings, ...own });

/** Defines all settings of a program that is not hosted as a service. */
export const defineSettings = <S extends Shape>(shape: S): ConfigDefinition<S> => {
  for (const [key, schema] of Object.entries(shape)) {
    if (!schema.description) throw new Error(`The setting ${key} lacks its .describe()`);
  }
  return {
    shape,
    read(environment) {
      const { values, problems, unreadable } = valuesOf(Object.keys(shape), environment);
      const parsed = z.object(shape).safeParse(values);
      // The compiler cannot follow zod's inferred output of a generic shape.
      if (parsed.success && problems.length === 0)
        return Object.freeze(parsed.data) as ReturnType<ConfigDefinition<S>['read']>;
      const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unreadable.has(String(path[0])));
      throw new ConfigError([...problems, ...issues.map(issue => reasonOf(issue, values))]);
    },
  };
};

export interface SettingDescription {
  readonly variable: string;
  readonly description: string;
  readonly required: boolean;
  /** As text; undefined if there is none. */
  readonly default: string | undefined;
  /** JSON Schema of the parsed value; empty if code parses it. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The environment variables of a service, for the documentation. */
export const describeConfig = (definition: ConfigDefinition): SettingDescription[] =>
  Object.entries(definition.shape).map(([key, schema]) => {
    const unset = schema.safeParse(undefined);
    const fallback = textOfDefault(schema) ?? (unset.success ? unset.data : undefined);
    return {
      variable: variableOf(key),
      description: schema.description ?? '',
      required: !unset.success,
      default: fallback === undefined ? undefined : String(fallback),
      schema: schemaOf(schema),
    };
  });

/** The default of a setting that is parsed from a text, as that text. */
const textOfDefault = (setting: z.ZodType): string | undefined => {
  const { default: fallback } = z.toJSONSchema(setting, { io: 'input', unrepresentable: 'any' });
  return typeof fallback === 'string' ? fallback : undefined;
};

const schemaOf = (setting: z.ZodType): Readonly<Record<string, unknown>> => {
  const { $schema, description, default: _, ...schema } = z.toJSONSchema(setting, { unrepresentable: 'any' });
  return schema;
};

/** `databaseUrl` is `POSTERN_DATABASE_URL`. */
export const variableOf = (key: string): string =>
  `${PREFIX}${key.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`;

const reasonOf = (issue: z.core.$ZodIssue, values: Values): string => {
  const key = String(issue.path[0]);
  return `${variableOf(key)}: ${values[key] === undefined ? 'is required' : issue.message}`;
};

type Values = Readonly<Record<string, string | undefined>>;

/** The texts of settings, from variables and from the files that `…_FILE` variables name. */
const valuesOf = (keys: readonly string[], environment: Environment) => {
  const variables = new Set(keys.map(variableOf));
  const values: Record<string, string | undefined> = {};
  const problems: string[] = [];
  const unreadable = new Set<string>();
  for (const key of keys) {
    const variable = variableOf(key);
    const given = environment[variable] || undefined;
    const fileVariable = `${variable}_FILE`;
    // Another setting may have this name.
    const file = variables.has(fileVariable) ? undefined : environment[fileVariable] || undefined;
    values[key] = given;
    if (file === undefined) continue;
    try {
      if (given !== undefined) throw new Error(`is set, and so is ${variable}; set one of them`);
      values[key] = textOfFile(file);
    } catch (error) {
      unreadable.add(key);
      problems.push(`${fileVariable}: ${(error as Error).message}`);
    }
  }
  return { values, problems, unreadable };
};

/** The content of a file without the line break at its end. @throws with a remedy if it has none. */
const textOfFile = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${file} cannot be read (${code}); check the path and who may read the file`);
  }
  if (text === '') throw new Error(`${file} is empty; write the value into it`);
  return text;
};
