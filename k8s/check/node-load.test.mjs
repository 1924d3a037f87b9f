import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resultOf } from './node/load.mjs';

const messages = (...subjects) => subjects.map(subject => ({ subject }));

describe('The result of a load', () => {
  const load = { prefix: 'Upgrade', sent: ['Upgrade 0', 'Upgrade 1'], abandoned: ['Upgrade 2'] };

  it('has messages that were accepted and did not arrive', () => {
    assert.deepEqual(resultOf(load, messages('Upgrade 1')).lost, ['Upgrade 0']);
  });

  it('has messages that arrived twice, even if no response confirmed them', () => {
    const found = messages('Upgrade 0', 'Upgrade 0', 'Upgrade 1', 'Upgrade 2', 'Upgrade 2');
    assert.deepEqual(resultOf(load, found).doubled, ['Upgrade 0', 'Upgrade 2']);
  });

  it('has messages that were not accepted after all retries', () => {
    assert.deepEqual(resultOf(load, messages('Upgrade 0', 'Upgrade 1')).abandoned, ['Upgrade 2']);
  });

  it('excludes the messages of other loads', () => {
    const found = messages('Upgrade 0', 'Upgrade 1', 'Rollback 0', 'Rollback 0', 'Upgraded 1', 'Upgraded 1');
    assert.deepEqual(resultOf(load, found), { lost: [], doubled: [], abandoned: ['Upgrade 2'] });
  });
});
