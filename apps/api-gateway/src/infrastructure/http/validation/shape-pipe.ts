import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { badRequest } from '../errors/problem.js';
import { isEmptyBody, readJson } from './received-body.js';
import { validationMessage } from './validation-messages.js';

/** Validates `@Body({ schema })`, `@Query({ schema })` and `@Param({ schema })`; throws a 400 that names the fields. */
export class ShapePipe implements PipeTransform {
  transform(value: unknown, { schema, type }: ArgumentMetadata): unknown {
    if (!(schema instanceof z.ZodType)) return value;
    if (type === 'body') return assertShape(schema, mayBeAbsent(schema, value) ? undefined : readJson(value));
    return assertShape(schema, value);
  }
}

const mayBeAbsent = (schema: z.ZodType, body: unknown): boolean =>
  isEmptyBody(body) && schema.safeParse(undefined).success;

/** The parsed value. @throws a 400 that names the invalid fields. */
export const assertShape = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw badRequest(validationMessage(schema, result.error.issues, value));
};
