import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { alone, built, find, helmEnvironment, objectsOf, trial, whole } from './helm.mjs';
import { KUBERNETES, tools } from './tools.mjs';

const { GENERATED, GeneratedService } = await built('tools/releases/dist/testing/generated-service.js');
const made = await GeneratedService.make();
after(() => made.remove());

const helm = args =>
  execFileSync(tools().helm, args, { cwd: made.path, env: helmEnvironment, encoding: 'utf8', stdio: 'pipe' });
const rendered = args => objectsOf(helm(['template', ...args, '--kube-version', KUBERNETES]));
helm(['dependency', 'build', 'k8s/charts/postern']);

/** The kinds of objects of the service, without those that only the postern chart has. */
const kindsOf = (objects, service) =>
  objects
    .filter(({ metadata }) => metadata.name === service || metadata.name.startsWith(`${service}-`))
    .map(({ kind }) => kind)
    .sort();

describe('The charts of a generated service', () => {
  for (const [title, args] of Object.entries({ alone, 'with all others': () => whole }))
    it(`have the same objects as those of a present service: ${title}`, () => {
      const found = kindsOf(rendered(args(GENERATED)), GENERATED);
      assert.deepEqual(found, kindsOf(rendered(args('webhook-dispatch')), 'webhook-dispatch'));
      assert.ok(found.includes('Deployment') && found.includes('NetworkPolicy'));
    });

  it('refuse settings that it does not have', () =>
    assert.throws(
      () => rendered([...alone(GENERATED), '--set', 'env.POSTERN_WEBHOOKS_ALLOW_PRIVATE=true']),
      /POSTERN_WEBHOOKS_ALLOW_PRIVATE/,
    ));

  it('give it a database and a user of NATS in a trial', () => {
    const objects = rendered(trial);
    assert.ok(objects.some(({ metadata }) => metadata.name === `postern-nats-${GENERATED}`));
    const { stringData } = find(objects, 'Secret', 'postern-postgresql');
    assert.ok(stringData[`${GENERATED}-url`].includes('usage_reports'));
  });
});
