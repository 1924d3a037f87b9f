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
  const all = [...shapes, ...bodies];
  const names = new Map(all.map(([name, schema]) => [shapeOf(schema), name]));
  const events = shapes.map(([name]) => name).filter(name => EVENT.test(name));
  return [
    HEADER,
    ...all.map(([name, schema]) => declaration(name, schema, all, names)),
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

/** What two schemas of the same type have in common. */
const shapeOf = ({ description: _, ...schema }: Schema): string => JSON.stringify(schema);

type Named = readonly [name: string, schema: Schema];
type Names = ReadonlyMap<string, string>;

const declaration = (name: string, schema: Schema, all: readonly Named[], names: Names): string => {
  const start = comment(schema.description, '');
  if (!schema.properties) return `${start}export type ${name} = ${typeOf(schema, '', names)};\n`;
  const base = all.find(([, other]) => other !== schema && extendsShape(schema, other));
  if (!base) return `${start}export interface ${name} ${objectType(schema, '', names)}\n`;
  const own = Object.entries(schema.properties).filter(([field]) => !base[1].properties?.[field]);
  const rest = { ...schema, properties: Object.fromEntries(own) };
  return `${start}export interface ${name} extends ${base[0]} ${objectType(rest, '', names)}\n`;
};

/** Whether `schema` has all fields of `base`, and more. */
const extendsShape = (schema: Schema, base: Schema): boolean => {
  const fields = Object.entries(base.properties ?? {});
  return (
    fields.length > 2 &&
    fields.length < Object.keys(schema.properties ?? {}).length &&
    fields.every(
      ([name, field]) =>
        JSON.stringify(schema.properties?.[name]) === JSON.stringify(field) &&
        schema.required?.includes(name) === base.required?.includes(name),
    )
  );
};

const typeOf = (schema: Schema, indent: string, names: Names): string => {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const name = indent && names.get(shapeOf(withoutAlternatives(schema)));
  if (name) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && alternatives.filter(({ properties }) => properties).length > 1)
    return alternatives.map(one => `\n${indent}  | ${typeOf(one, `${indent}    `, names)}`).join('');
  if (alternatives) return alternatives.map(one => typeOf(one, indent, names)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map(type => typeOf({ ...schema, type }, indent, names)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}, indent, names), indent);
    case 'object':
      return schema.properties ? objectType(schema, indent, names) : recordType(schema, indent, names);
    default:
      return 'unknown';
  }
};

const objectType = ({ properties = {}, required = [] }: Schema, indent: string, names: Names): string => {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?';
    const type = typeOf(field, inner, names);
    // The formatter writes a union of objects in lines of its own.
    const blank = type.startsWith('\n') ? '' : ' ';
    return `${comment(field.description, inner)}${inner}readonly ${name}${optional}:${blank}${type};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
};

const recordType = ({ additionalProperties }: Schema, indent: string, names: Names): string =>
  `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent, names) : 'unknown'}>>`;

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
