import { MAX_TAG_VALUE_LENGTH, MAX_TAGS, TAG_NAME } from '@postern/contracts';
import { invalidEmail } from './email-refusals.js';

type Tags = Readonly<Record<string, string>>;

/** Validates the tags of a message; refuses with `invalid_email`. Returns undefined if there are none. */
export function readTags(tags: Tags): Tags | undefined {
  const entries = Object.entries(tags);
  if (entries.length > MAX_TAGS) throw invalidEmail('tags', `at most ${MAX_TAGS} are allowed`);
  for (const [name, value] of entries) {
    if (!TAG_NAME.test(name)) {
      throw invalidEmail('tags', 'a name has 1 to 40 lower-case letters, digits and "_", and starts with a letter');
    }
    const field = `tags.${name}`;
    if ([...value].length > MAX_TAG_VALUE_LENGTH) {
      throw invalidEmail(field, `at most ${MAX_TAG_VALUE_LENGTH} characters are allowed`);
    }
    // PostgreSQL cannot store NUL and lone surrogates.
    if (value.includes('\0') || !value.isWellFormed()) {
      throw invalidEmail(field, 'NUL and text that is not well-formed Unicode are not allowed');
    }
  }
  return entries.length > 0 ? tags : undefined;
}
