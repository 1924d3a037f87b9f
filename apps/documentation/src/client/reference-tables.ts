import { element } from './element.js';
import { type OpenApiDocument, type Parameter, resolve, type Schema, typeName } from './open-api.js';

const MAX_DEPTH = 4;

/** The JSON schema of a body; undefined for one that is not JSON. */
export const bodyOf = (
  openApi: OpenApiDocument,
  content: Readonly<Record<string, { readonly schema?: Schema }>> | undefined,
): Schema | undefined => {
  const schema = content?.['application/json']?.schema;
  return schema && resolve(openApi, schema);
};

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly description: string | undefined;
}

const rowsOf = (openApi: OpenApiDocument, schema: Schema, prefix: string, depth: number): readonly Row[] => {
  const own = resolve(openApi, schema);
  if (depth > MAX_DEPTH) return [];
  if (own.type === 'array' && own.items) return rowsOf(openApi, own.items, `${prefix}[]`, depth + 1);
  // Alternatives share most of their fields, so each is named once.
  const parts = own.allOf ?? own.anyOf ?? own.oneOf ?? [];
  const rows = [
    ...parts.flatMap(part => rowsOf(openApi, part, prefix, depth + 1)),
    ...Object.entries(own.properties ?? {}).flatMap(([name, property]) => {
      const path = prefix ? `${prefix}.${name}` : name;
      const resolved = resolve(openApi, property);
      const row = {
        name: path,
        schema: property,
        required: own.required?.includes(name) ?? false,
        description: property.description ?? resolved.description,
      };
      return [row, ...rowsOf(openApi, property, path, depth + 1)];
    }),
  ];
  return [...new Map(rows.map(row => [row.name, row])).values()];
};

const table = (openApi: OpenApiDocument, rows: readonly Row[]): HTMLElement =>
  element(
    'div',
    { class: 'table', tabindex: '0' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...['Name', 'Type', 'Description'].map(text => element('th', {}, text)))),
      element(
        'tbody',
        {},
        ...rows.map(({ name, schema, required, description }) =>
          element(
            'tr',
            {},
            element('td', {}, element('code', {}, name), required ? element('em', {}, ' required') : undefined),
            element('td', {}, typeName(openApi, schema)),
            element('td', {}, description ?? ''),
          ),
        ),
      ),
    ),
  );

/** The fields of a body, nested ones with their path. */
export const fieldTable = (openApi: OpenApiDocument, schema: Schema): HTMLElement => {
  const rows = rowsOf(openApi, schema, '', 0);
  return rows.length > 0 ? table(openApi, rows) : element('p', {}, typeName(openApi, schema));
};

/** Parameters in the path, the query and the headers. */
export const parameterTable = (openApi: OpenApiDocument, parameters: readonly Parameter[]): HTMLElement =>
  table(
    openApi,
    parameters.map(({ name, in: where, required, description, schema }) => ({
      name: where === 'path' ? `{${name}}` : name,
      schema: schema ?? {},
      required: required ?? false,
      description: [where === 'header' ? 'Header.' : undefined, description].filter(Boolean).join(' '),
    })),
  );
