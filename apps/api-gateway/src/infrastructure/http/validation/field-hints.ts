import { fieldHints, isJsonObject } from '@postern/contracts';
import type { z } from 'zod';

const LIST = new Intl.ListFormat('en-GB');

/** Hints about likely mistakes in a refused value: unknown names, and missing alternative fields. */
export const hintsFor = (
  schema: z.ZodType,
  { properties = {} }: z.core.JSONSchema.JSONSchema,
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
): readonly string[] => {
  const hints = fieldHints.get(schema);
  const hintsOfUnknown = new Map(Object.entries(hints?.unknown ?? {}));
  const unknown = issues.flatMap(issue =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  );
  return [
    ...unknown.slice(0, 5).flatMap(key => {
      const similar = Object.keys(properties).find(name => plain(name) === plain(key));
      const hint = hintsOfUnknown.get(plain(key));
      return similar ? [`Did you mean "${similar}"?`] : hint ? [hint] : [];
    }),
    ...(hints && hints.oneOf.length > 0 && isJsonObject(value) && hints.oneOf.every(name => value[name] === undefined)
      ? [`Give at least one of ${LIST.format(hints.oneOf)}.`]
      : []),
  ].filter((hint, index, all) => all.indexOf(hint) === index);
};

/** Normalizes a name: `replyTo`, `reply-to` and `Reply_To` are considered equal. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
