import { h, type VNode } from 'vue';
import { type OpenApiDocument, type Parameter, resolve, type Schema, typeName } from './open-api.js';
import { inline } from './text.js';

const MAX_DEPTH = 4;

/** A field of a body, or a parameter. */
export interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly description: string | undefined;
}

/** The fields of a body, nested ones with their path. */
export const fieldsOf = (openApi: OpenApiDocument, schema: Schema, prefix = '', depth = 0): readonly Row[] => {
  const own = resolve(openApi, schema);
  if (depth > MAX_DEPTH) return [];
  if (own.type === 'array' && own.items) return fieldsOf(openApi, own.items, `${prefix}[]`, depth + 1);
  // Alternatives share most of their fields, so each is named once.
  const parts = own.allOf ?? own.anyOf ?? own.oneOf ?? [];
  const rows = [
    ...parts.flatMap(part => fieldsOf(openApi, part, prefix, depth + 1)),
    ...Object.entries(own.properties ?? {}).flatMap(([name, property]) => {
      const path = prefix ? `${prefix}.${name}` : name;
      const row = {
        name: path,
        schema: property,
        required: own.required?.includes(name) ?? false,
        description: property.description ?? resolve(openApi, property).description,
      };
      return [row, ...fieldsOf(openApi, property, path, depth + 1)];
    }),
  ];
  return [...new Map(rows.map(row => [row.name, row])).values()];
};

const table = (openApi: OpenApiDocument, rows: readonly Row[]): VNode =>
  h('table', { tabindex: 0 }, [
    h('thead', h('tr', [h('th', 'Name'), h('th', 'Type'), h('th', 'Description')])),
    h(
      'tbody',
      rows.map(({ name, schema, required, description }) =>
        h('tr', [
          h('td', [h('code', name), required ? h('em', ' required') : undefined]),
          h('td', typeName(openApi, schema)),
          h('td', inline(description)),
        ]),
      ),
    ),
  ]);

export const fieldTable = (openApi: OpenApiDocument, schema: Schema): VNode => {
  const rows = fieldsOf(openApi, schema);
  return rows.length > 0 ? table(openApi, rows) : h('p', typeName(openApi, schema));
};

/** Parameters in the path, the query and the headers. */
export const parameterTable = (openApi: OpenApiDocument, parameters: readonly Parameter[]): VNode =>
  table(
    openApi,
    parameters.map(({ name, in: where, required, description, schema }) => ({
      name: where === 'path' ? `{${name}}` : name,
      schema: schema ?? {},
      required: required ?? false,
      description: [where === 'header' ? 'Header.' : undefined, description].filter(Boolean).join(' '),
    })),
  );
