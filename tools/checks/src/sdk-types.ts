interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The parts of the OpenAPI document that the types of the SDK are generated from. */
export interface TypedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEADER = `// Written by \`node tools/checks/sdk-types.mjs\` from the OpenAPI document of the public API. Do not edit.
`;
const EVENT = /^[A-Z][a-z]+Event$/;
const ERRORS: ReadonlySet<string> = new Set(['ApiError', 'Detail', 'Forbidden']);

/** The TypeScript module with the types of the public API: its components, and the body of each operation. */
export const sdkTypes = ({ paths, components }: TypedDocument): string => {
  const shapes = Object.entries(components.schemas).filter(([name]) => !ERRORS.has(name));
  const bodies = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      // The messages of a list have the type of a single one.
      return schema && schema.type !== 'array'
        ? [[`${capitalised(operationId)}Body`, withoutAlternatives(schema)] as const]
        : [];
    });
  const events = shapes.map(([name]) => name).filter(name => EVENT.test(name));
  return [
    HEADER,
    ...[...shapes, ...bodies].map(([name, schema]) => declaration(name, schema)),
    `/** An event that a webhook receives; \`event\` tells the kinds apart. */\nexport type WebhookEvent = ${events.join(' | ')};\n`,
  ].join('\n');
};

/** Merges alternatives: fields that only one alternative has become optional. */
const withoutAlternatives = (schema: Schema): Schema => {
  const [first, ...others] = schema.oneOf ?? schema.anyOf ?? [];
  if (!first) return schema;
  return {
    ...first,
    properties: Object.assign({}, ...others.map(({ properties }) => properties), first.properties),
    required: (first.required ?? []).filter(field => others.every(one => one.required?.includes(field))),
  };
};

const declaration = (name: string, schema: Schema): string =>
  schema.properties
    ? `${comment(schema.description, '')}export interface ${name} ${objectType(schema, '')}\n`
    : `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`;

const typeOf = (schema: Schema, indent: string): string => {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && alternatives.filter(({ properties }) => properties).length > 1)
    return alternatives.map(one => `\n${indent}  | ${typeOf(one, `${indent}    `)}`).join('');
  if (alternatives) return alternatives.map(one => typeOf(one, indent)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map(type => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}, indent), indent);
    case 'object':
      return schema.properties ? objectType(schema, indent) : recordType(schema, indent);
    default:
      return 'unknown';
  }
};

const objectType = ({ properties = {}, required = [] }: Schema, indent: string): string => {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?';
    const type = typeOf(field, inner);
    // The formatter writes a union of objects in lines of its own.
    const blank = type.startsWith('\n') ? '' : ' ';
    return `${comment(field.description, inner)}${inner}readonly ${name}${optional}:${blank}${type};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
};

const recordType = ({ additionalProperties }: Schema, indent: string): string =>
  `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown'}>>`;

const arrayOf = (item: string, indent: string): string => {
  if (/^[A-Za-z]+$/.test(item)) return `readonly ${item}[]`;
  if (item.length < LONGEST_UNION || item.includes('\n')) return `ReadonlyArray<${item}>`;
  const lines = item.split(' | ').map(one => `${indent}  | ${one}\n`);
  return `ReadonlyArray<\n${lines.join('')}${indent}>`;
};

/** The formatter writes a longer union in lines of its own. */
const LONGEST_UNION = 80;

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

const comment = (text: string | undefined, indent: string): string => (text ? `${indent}/** ${text} */\n` : '');

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
