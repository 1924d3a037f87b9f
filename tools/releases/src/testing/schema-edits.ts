import type { JsonSchema } from '@postern/compatibility';

export type Edit = (schema: JsonSchema) => JsonSchema;

export const present = <Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value => {
  const found = record?.[name];
  if (found === undefined) throw new Error(`the contract has no ${name}`);
  return found;
};

export const without = <Value>(record: Readonly<Record<string, Value>>, name: string): Record<string, Value> => {
  present(record, name);
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
};

export const renamed = <Value>(
  record: Readonly<Record<string, Value>>,
  from: string,
  to: string,
): Record<string, Value> => ({
  ...without(record, from),
  [to]: present(record, from),
});

/** Edits the field of an object, `data.bounce_type`. */
export const field =
  (path: string, edit: Edit): Edit =>
  schema => {
    const [name = '', ...rest] = path.split('.');
    const inner = present(schema.properties, name);
    const changed = rest.length > 0 ? field(rest.join('.'), edit)(inner) : edit(inner);
    return { ...schema, properties: { ...schema.properties, [name]: changed } };
  };
export const removeField =
  (name: string): Edit =>
  schema => ({
    ...schema,
    properties: without(schema.properties ?? {}, name),
    required: (schema.required ?? []).filter(other => other !== name),
  });
export const addField =
  (name: string, isRequired: boolean): Edit =>
  schema => ({
    ...schema,
    properties: { ...schema.properties, [name]: { type: 'string' } },
    required: [...(schema.required ?? []), ...(isRequired ? [name] : [])],
  });
export const renameField =
  (from: string, to: string): Edit =>
  schema =>
    addField(to, true)(removeField(from)(schema));
export const withValue =
  (value: string): Edit =>
  schema => ({ ...schema, enum: [...(schema.enum ?? []), value] });
export const withoutValue =
  (value: string): Edit =>
  schema => ({ ...schema, enum: (schema.enum ?? []).filter(other => other !== value) });
export const set =
  (keywords: JsonSchema): Edit =>
  schema => ({ ...schema, ...keywords });
export const unset =
  (keyword: keyof JsonSchema): Edit =>
  schema => {
    present(schema as Record<string, unknown>, keyword);
    return without(schema as Record<string, unknown>, keyword) as JsonSchema;
  };
