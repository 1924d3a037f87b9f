import type { BounceClass } from '@postern/mail';
import type { BounceClassification } from './signal.js';

/** The classification by the rule table in the form stored with a bounce. */
export const classificationOf = ({ name, rule, version, advice }: Omit<BounceClass, 'type'>): BounceClassification => ({
  name,
  rule,
  rules_version: version,
  advice,
});
