import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone, built, objectsOf, render, whole } from './helm.mjs';

const { RESOURCES } = await built('apps/runtime-agent/dist/kubernetes-runtime/objects/kinds.js');

/** One line for each right, as `apps/deployments: list`. */
const used = Object.values(RESOURCES).flatMap(({ apiVersion, plural, verbs }) =>
  verbs.map(verb => `${apiVersion.includes('/') ? apiVersion.split('/')[0] : ''}/${plural}: ${verb}`),
);
const granted = rules =>
  rules.flatMap(({ apiGroups, resources, verbs, ...rest }) => {
    assert.deepEqual(rest, {}, 'the rules have no other fields');
    return apiGroups.flatMap(group => resources.flatMap(of => verbs.map(verb => `${group}/${of}: ${verb}`)));
  });

describe('The permissions of runtime-agent', () => {
  for (const [chart, args] of Object.entries({ 'the umbrella chart': whole, 'its own chart': alone('runtime-agent') }))
    it(`match the operations of the code on each kind exactly, in ${chart}`, () => {
      const roles = objectsOf(render(args)).filter(({ kind }) => /^(?:Cluster)?Role$/.test(kind));
      assert.deepEqual(
        roles.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`),
        ['Role postern-tenants/runtime-agent'],
      );
      assert.deepEqual(granted(roles[0].rules).sort(), used.sort());
    });
});
