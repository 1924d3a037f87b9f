import { z } from 'zod';
import { hostSettings } from './settings.js';

const PREFIX = 'POSTERN_';

type Shape = Record<string, z.ZodType>;
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigDefinition<S extends Shape = Shape> {
  readonly shape: S;
  /** Reads the environment; rejects with a `ConfigError` that lists everything that is wrong. */
  read(environment: Environment): { readonly [K in keyof S]: z.output<S[K]> };
}

/** The configuration object that a definition reads. */
export type ConfigOf<D extends { read(environment: Environment): unknown }> = ReturnType<D['read']>;

/** The part that the host itself needs. */
export type HostConfig = ConfigOf<ConfigDefinition<typeof hostSettings>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map(problem => `  ${problem}`).join('\n')}`);
  }
}

/**
 * A service's settings beside those of every service: `relayHost` is read from `POSTERN_RELAY_HOST`. Every setting
 * has a sentence in `.describe()`, from which the reference is made. An empty variable counts as not set.
 */
export const defineConfig = <S extends Shape>(own: S): ConfigDefinition<S & typeof hostSettings> => {
  const shape = { ...hostSettings, ...own };
  for (const [key, schema] of Object.entries(shape)) {
    if (!schema.description) throw new Error(`The setting ${key} lacks its .describe()`);
  }
  return {
    shape,
    read(environment) {
      const raw = Object.keys(shape).map(key => [key, environment[variableOf(key)] || undefined]);
      const parsed = z.object(shape).safeParse(Object.fromEntries(raw));
      // The shape is generic, so zod's inferred output cannot be followed by the compiler.
      if (parsed.success)
        return Object.freeze(parsed.data) as ReturnType<ConfigDefinition<S & typeof hostSettings>['read']>;
      throw new ConfigError(parsed.error.issues.map(issue => reasonOf(issue, environment)));
    },
  };
};

export interface SettingDescription {
  readonly variable: string;
  readonly description: string;
  readonly required: boolean;
  /** As it would print; undefined when there is none. */
  readonly default: string | undefined;
  /** JSON Schema of the value that its text is read into; empty where code decides what the text may be. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The reference of a service's environment variables, for the documentation. */
export const describeConfig = (definition: ConfigDefinition): SettingDescription[] =>
  Object.entries(definition.shape).map(([key, schema]) => {
    const unset = schema.safeParse(undefined);
    return {
      variable: variableOf(key),
      description: schema.description ?? '',
      required: !unset.success,
      default: unset.success && unset.data !== undefined ? String(unset.data) : undefined,
      schema: schemaOf(schema),
    };
  });

const schemaOf = (setting: z.ZodType): Readonly<Record<string, unknown>> => {
  const { $schema, description, default: _, ...schema } = z.toJSONSchema(setting, { unrepresentable: 'any' });
  return schema;
};

/** `databaseUrl` is `POSTERN_DATABASE_URL`. */
export const variableOf = (key: string): string =>
  `${PREFIX}${key.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()}`;

const reasonOf = (issue: z.core.$ZodIssue, environment: Environment): string => {
  const variable = variableOf(String(issue.path[0]));
  return `${variable}: ${environment[variable] ? issue.message : 'is required'}`;
};
