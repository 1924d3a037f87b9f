import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { badRequest } from '../errors/problem.js';
import { isEmptyBody, readJson } from './received-body.js';
import { complaintsOf } from './shape-complaints.js';

/** Checks `@Body({ schema })`, `@Query({ schema })` and `@Param(name, { schema })` and words the 400. */
export class ShapePipe implements PipeTransform {
  transform(value: unknown, { schema, type, data }: ArgumentMetadata): unknown {
    if (!(schema instanceof z.ZodType)) return value;
    if (type === 'body') return assertShape(schema, mayBeAbsent(schema, value) ? undefined : readJson(value));
    return data === undefined ? assertShape(schema, value) : assertParameter(schema, data, value);
  }
}

const mayBeAbsent = (schema: z.ZodType, body: unknown): boolean =>
  isEmptyBody(body) && schema.safeParse(undefined).success;

/** The value as `schema` gives it, or a 400 that names the fields. */
export const assertShape = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badRequest(`${complaintsOf(schema, result.error.issues, value)}.`);
};

const assertParameter = (schema: z.ZodType, name: string, value: unknown): unknown => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(issue => ({ ...issue, path: [name, ...issue.path] }));
  throw badRequest(`${complaintsOf(z.object({ [name]: schema }), issues, { [name]: value })}.`);
};
