import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone, helm, SERVICES, whole } from './helm.mjs';
import { KUBERNETES } from './tools.mjs';
import { presentValues, umbrellaValues } from './umbrella-values.mjs';

const lint = ([, chart, , , ...values]) => helm(['lint', '--strict', chart, '--kube-version', KUBERNETES, ...values]);

describe('The charts', () => {
  it('are without a warning of helm lint, the whole', () => {
    lint(whole);
  });

  for (const service of SERVICES) {
    it(`are without a warning of helm lint, ${service} alone`, () => {
      lint(alone(service));
    });
  }

  it('say of each service what k8s/values says', () => {
    assert.equal(presentValues(), umbrellaValues(), 'run `node k8s/check/check.mjs --write`');
  });
});
