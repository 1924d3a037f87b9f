import { z } from 'zod';

/** The schema of a query string: integers arrive as text; unknown and repeated parameters are refused. */
export const queryShape = (fields: Readonly<Record<string, z.ZodType>>): z.ZodObject =>
  z.strictObject(Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, fromText(shape)])));

const fromText = (shape: z.ZodType): z.ZodType => {
  const read = withoutDescription(shape);
  return shape.description === undefined ? read : read.describe(shape.description);
};

const withoutDescription = (shape: z.ZodType): z.ZodType => {
  if (shape instanceof z.ZodDefault) return withDefault(shape);
  if (shape instanceof z.ZodOptional) return fromText(inner(shape)).optional();
  return shape instanceof z.ZodNumber ? integerFromText(shape) : shape;
};

/** Also within the conversion from text, because the JSON schema of a conversion shows no default around it. */
const withDefault = (shape: z.ZodDefault): z.ZodType => {
  const { defaultValue } = shape.def;
  const read = inner(shape);
  const shown = read instanceof z.ZodNumber ? integerFromText(read.default(defaultValue as number)) : fromText(read);
  return shown.default(defaultValue);
};

const inner = (shape: z.ZodDefault | z.ZodOptional): z.ZodType => shape.unwrap() as z.ZodType;

/** Accepts only decimal digits, not `1e2`, `0x10` or an empty text. */
const integerFromText = (integer: z.ZodNumber | z.ZodDefault<z.ZodNumber>): z.ZodType =>
  z.preprocess(text => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text), integer);
