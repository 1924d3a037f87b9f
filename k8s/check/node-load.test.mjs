import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resultOf } from './node/load.mjs';

const messages = (...subjects) => subjects.map(subject => ({ subject }));

describe('What became of the messages of a load', () => {
  const load = { prefix: 'Upgrade', sent: ['Upgrade 0', 'Upgrade 1'], abandoned: ['Upgrade 2'] };

  it('has those that were accepted and did not arrive', () => {
    assert.deepEqual(resultOf(load, messages('Upgrade 1')).lost, ['Upgrade 0']);
  });

  it('has those that arrived twice, also if no answer said that they were accepted', () => {
    const found = messages('Upgrade 0', 'Upgrade 0', 'Upgrade 1', 'Upgrade 2', 'Upgrade 2');
    assert.deepEqual(resultOf(load, found).doubled, ['Upgrade 0', 'Upgrade 2']);
  });

  it('has those that no retry got accepted', () => {
    assert.deepEqual(resultOf(load, messages('Upgrade 0', 'Upgrade 1')).abandoned, ['Upgrade 2']);
  });

  it('leaves out the messages of other loads', () => {
    const found = messages('Upgrade 0', 'Upgrade 1', 'Rollback 0', 'Rollback 0', 'Upgraded 1', 'Upgraded 1');
    assert.deepEqual(resultOf(load, found), { lost: [], doubled: [], abandoned: ['Upgrade 2'] });
  });
});
