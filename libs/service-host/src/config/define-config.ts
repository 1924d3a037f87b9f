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
 * `POSTERN_RELAY_HOST`. Every setting has a description. An empty variable counts as unset.
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
      const raw = Object.keys(shape).map(key => [key, environment[variableOf(key)] || undefined]);
      const parsed = z.object(shape).safeParse(Object.fromEntries(raw));
      // The compiler cannot follow zod's inferred output of a generic shape.
      if (parsed.success) return Object.freeze(parsed.data) as ReturnType<ConfigDefinition<S>['read']>;
      throw new ConfigError(parsed.error.issues.map(issue => reasonOf(issue, environment)));
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

const reasonOf = (issue: z.core.$ZodIssue, environment: Environment): string => {
  const variable = variableOf(String(issue.path[0]));
  return `${variable}: ${environment[variable] ? issue.message : 'is required'}`;
};
