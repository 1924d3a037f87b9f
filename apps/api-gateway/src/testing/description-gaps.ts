interface Described {
  readonly description?: string;
}

interface Schema extends Described {
  readonly $ref?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

interface DocumentedOperation extends Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (Described & { readonly name: string; readonly schema: Schema })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<
    Record<string, Described & { readonly headers?: Record<string, Described>; readonly content?: Content }>
  >;
}

type PathItems = Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;

/** The parts of an OpenAPI document whose descriptions are checked. */
export interface DescribedDocument {
  readonly info: Described;
  readonly tags?: readonly (Described & { readonly name: string })[];
  readonly paths: PathItems;
  readonly webhooks?: PathItems;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, Described>>;
  };
}

/** Locations where a document lacks a description, or a body of text lacks an example; empty if it is complete. */
export const descriptionGapsOf = ({
  info,
  tags = [],
  paths,
  webhooks = {},
  components,
}: DescribedDocument): string[] => {
  const operations = [paths, webhooks].flatMap(items => Object.values(items).flatMap(item => Object.values(item)));
  const described = new Set(tags.filter(isDescribed).map(({ name }) => name));
  return [
    ...gap(info, 'info'),
    ...operations.flatMap(operation => [
      ...operationGaps(operation),
      ...operation.tags.filter(tag => !described.has(tag)).map(tag => `tag ${tag}`),
    ]),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => schemaGaps(schema, name)),
    ...Object.entries(components.securitySchemes ?? {}).flatMap(([name, scheme]) => gap(scheme, name)),
  ];
};

const operationGaps = (operation: DocumentedOperation): string[] => {
  const { operationId: id, summary, parameters = [], requestBody, responses } = operation;
  return [
    ...gap(operation, id),
    ...(summary?.trim() ? [] : [`${id}: summary`]),
    ...parameters.flatMap(parameter => gap(parameter, `${id}: ${parameter.name}`)),
    ...contentGaps(requestBody?.content, `${id}: body`),
    ...Object.entries(responses).flatMap(([status, response]) => [
      ...gap(response, `${id}: ${status}`),
      ...Object.entries(response.headers ?? {}).flatMap(([name, header]) => gap(header, `${id}: ${status} ${name}`)),
      ...(status.startsWith('2') ? contentGaps(response.content, `${id}: ${status}`) : []),
    ]),
  ];
};

const contentGaps = (content: Content = {}, place: string): string[] =>
  Object.values(content).flatMap(({ schema, example }) => [
    ...(example === undefined && schema?.format !== 'binary' ? [`${place}: example`] : []),
    ...(schema ? schemaGaps(schema, place) : []),
  ]);

/** Every field of an object requires a description; a reference is described at its target. */
const schemaGaps = (schema: Schema, place: string): string[] => {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])];
  if (typeof additionalProperties === 'object') inner.push(additionalProperties);
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...gap(field, `${place}.${name}`),
      ...schemaGaps(field, `${place}.${name}`),
    ]),
    ...inner.flatMap(one => schemaGaps(one, place)),
  ];
};

const isDescribed = ({ description }: Described): boolean => (description?.trim() ?? '') !== '';

const gap = (described: Described, place: string): string[] => (isDescribed(described) ? [] : [place]);
