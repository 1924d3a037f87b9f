import type { BounceClass } from '@postern/mail';
import type { BounceClassification } from './signal.js';

/** The verdict of the rule table as it is stored with a bounce. */
export const classificationOf = ({ name, rule, version, advice }: Omit<BounceClass, 'type'>): BounceClassification => ({
  name,
  rule,
  rules_version: version,
  advice,
});
