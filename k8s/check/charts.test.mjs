import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone, helm, SERVICES, whole } from './helm.mjs';
import { KUBERNETES } from './tools.mjs';
import { presentValues, umbrellaValues } from './umbrella-values.mjs';

/** @param {string[]} args */
const lint = ([, chart, , , ...values]) => helm(['lint', '--strict', chart, '--kube-version', KUBERNETES, ...values]);

describe('The charts', () => {
  it('pass helm lint without warnings, the postern chart', () => {
    lint(whole);
  });

  for (const service of SERVICES) {
    it(`pass helm lint without warnings, ${service}`, () => {
      lint(alone(service));
    });
  }

  it('have the same values for each service as k8s/values', () => {
    assert.equal(presentValues(), umbrellaValues(), 'run `node k8s/check/check.mjs --write`');
  });
});
