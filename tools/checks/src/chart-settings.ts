import type { ServiceSettings, Setting } from './configuration-page.js';

type Schema = Readonly<Record<string, unknown>>;

/** Set by the chart from other values: the precedence of a second definition would be undefined. */
const OF_THE_CHART = [
  'POSTERN_HTTP_HOST',
  'POSTERN_HTTP_PORT',
  'POSTERN_NATS_SERVERS',
  'POSTERN_OTLP_ENDPOINT',
  'POSTERN_SHUTDOWN_TIMEOUT_MS',
  'POSTERN_TRACE_RATIO',
] as const;
const ALSO_OF_THE_CHART = { NODE_ENV: false, MALLOC_ARENA_MAX: false };

/** Names without the prefix POSTERN_. Go, the language of Helm, does not support negative lookahead. */
const FOREIGN_NAME = `^(${[...'POSTERN_'].map((character, at) => `${'POSTERN_'.slice(0, at)}([^${character}]|$)`).join('|')})`;

/** An empty value, which counts as unset, or a template, whose value only the chart can determine. */
const UNSET_OR_TEMPLATE = String.raw`^$|\{\{`;
const FLAGS = 'true|1|yes|on|y|enabled|false|0|no|off|n|disabled';
const KINDS = {
  anyText: { type: ['string', 'number', 'boolean'] },
  wholeNumberText: { type: 'string', pattern: `^[+-]?[0-9]+$|${UNSET_OR_TEMPLATE}` },
  numberText: { type: 'string', pattern: `^[+-]?[0-9]+(\\.[0-9]+)?$|${UNSET_OR_TEMPLATE}` },
  flag: {
    anyOf: [{ type: 'boolean' }, { enum: [0, 1] }, { type: 'string', pattern: `^(${FLAGS})$|${UNSET_OR_TEMPLATE}` }],
  },
  unsetOrTemplate: { type: 'string', pattern: UNSET_OR_TEMPLATE },
} as const satisfies Record<string, Schema>;

const kind = (name: keyof typeof KINDS): Schema => ({ $ref: `#/$defs/${name}` });

/** Environment variables are text, but YAML parses some as numbers or booleans: both types are accepted. */
const valueSchema = ({ schema }: Setting): Schema => {
  const { type, minimum, maximum, enum: values } = schema;
  const limits = {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
  if (values) return { anyOf: [{ enum: values }, kind('unsetOrTemplate')] };
  if (type === 'integer') return { anyOf: [{ type, ...limits }, kind('wholeNumberText')] };
  if (type === 'number') return { anyOf: [{ type, ...limits }, kind('numberText')] };
  return kind(type === 'boolean' ? 'flag' : 'anyText');
};

/** The generated part of the chart's values.schema.json, from the typed configuration of the services. */
export const chartSettings = (
  services: ServiceSettings,
): { readonly $defs: Schema; readonly allOf: readonly Schema[] } => {
  const perService = Object.entries(services).map(([service, settings]) => {
    const given = settings
      .filter(({ variable }) => !OF_THE_CHART.some(own => own === variable))
      .sort((one, other) => one.variable.localeCompare(other.variable));
    const only = (properties: Schema): Schema => ({
      properties: { ...properties, ...ALSO_OF_THE_CHART },
      patternProperties: { [FOREIGN_NAME]: true },
      additionalProperties: false,
    });
    const env = only(Object.fromEntries(given.map(setting => [setting.variable, valueSchema(setting)])));
    const secrets = only(Object.fromEntries(given.map(({ variable }) => [variable, true])));
    return { service, env, secrets };
  });
  return {
    $defs: {
      ...KINDS,
      ...Object.fromEntries(
        perService.flatMap(({ service, env, secrets }) => [
          [`env-of-${service}`, env],
          [`secrets-of-${service}`, secrets],
        ]),
      ),
    },
    allOf: perService.map(({ service }) => ({
      if: { properties: { app: { const: service } } },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: {
        properties: {
          env: { $ref: `#/$defs/env-of-${service}` },
          secrets: { $ref: `#/$defs/secrets-of-${service}` },
        },
      },
    })),
  };
};

/** values.schema.json with the present settings of the services; other parts are not changed. */
export const withChartSettings = (schema: Schema, services: ServiceSettings): Schema => {
  const { $defs, allOf } = chartSettings(services);
  const byHand = Object.entries(schema['$defs'] as Schema).filter(([name]) => !isGenerated(name));
  return { ...schema, allOf, $defs: { ...Object.fromEntries(byHand), ...$defs } };
};

const isGenerated = (name: string): boolean => name in KINDS || name.includes('-of-');
