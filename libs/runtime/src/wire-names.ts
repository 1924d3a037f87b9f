/**
 * Messages between services have names in snake_case (`web_service_id`), ports have names in camelCase (`webServiceId`). Apart
 * from that, an order of the runtime is the same on both sides, so the names are all that is converted.
 */

/** Fields with names of users, such as those of variables, which are never converted. */
type UserNames = 'environment' | 'files' | 'processes' | 'buildArguments' | 'build_arguments';
const USER_NAMES: ReadonlySet<string> = new Set<UserNames>([
  'environment',
  'files',
  'processes',
  'buildArguments',
  'build_arguments',
]);

type SnakeName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

type CamelName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name;

/** A record with names of users below any other name is this text, so that it does not compile. */
type Refused = 'the names of this record would be converted';
type Field<Name, Value, Converted> = Name extends UserNames
  ? Value
  : string extends keyof NonNullable<Value>
    ? Refused
    : Converted;

type SnakeCased<Value> = Value extends readonly (infer Item)[]
  ? SnakeCased<Item>[]
  : Value extends object
    ? { -readonly [Name in keyof Value as SnakeName<Name & string>]: Field<Name, Value[Name], SnakeCased<Value[Name]>> }
    : Value;

type CamelCased<Value> = Value extends readonly (infer Item)[]
  ? readonly CamelCased<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value as CamelName<Name & string>]: Field<Name, Value[Name], CamelCased<Value[Name]>> }
    : Value;

/** The value of a port as it is sent. */
export const snakeCased = <Value>(value: Value): SnakeCased<Value> =>
  renamed(value, name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)) as SnakeCased<Value>;

/** A received value as it is in a port. */
export const camelCased = <Value>(value: Value): CamelCased<Value> =>
  renamed(value, name => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())) as CamelCased<Value>;

const renamed = (value: unknown, rename: (name: string) => string): unknown => {
  if (Array.isArray(value)) return value.map(item => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(
    ([name, field]) => [rename(name), USER_NAMES.has(name) ? field : renamed(field, rename)] as const,
  );
  return Object.fromEntries(fields);
};
