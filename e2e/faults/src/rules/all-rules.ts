import type { Observation, ObservedTraffic } from '../observed-traffic.js';
import { listsTrue } from './lists-true.js';
import { nothingDoubled } from './nothing-doubled.js';
import { nothingLost } from './nothing-lost.js';
import { outsideRestores } from './outside-restores.js';
import { recordsTrue } from './records-true.js';
import { refusalsTrue } from './refusals-true.js';
import { reportsTaken } from './reports-taken.js';
import { statisticsTrue } from './statistics-true.js';
import type { Rule, Violation } from './violation.js';
import { webhooksComplete } from './webhooks-complete.js';
import { webhooksSigned } from './webhooks-signed.js';
import { webhooksTrue } from './webhooks-true.js';

const RULES: readonly Rule[] = [
  nothingLost,
  nothingDoubled,
  refusalsTrue,
  recordsTrue,
  listsTrue,
  statisticsTrue,
  webhooksComplete,
  webhooksSigned,
  webhooksTrue,
  reportsTaken,
];

/** All violations in the observations; pure. */
export const violationsOf = (allTraffic: ObservedTraffic, all: Observation): readonly Violation[] => {
  const { traffic, observation } = outsideRestores(allTraffic, all);
  return RULES.flatMap(rule => rule(traffic, observation));
};
