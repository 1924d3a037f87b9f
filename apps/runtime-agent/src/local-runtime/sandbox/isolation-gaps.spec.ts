import { describe, expect, it } from '@jest/globals';
import { type Isolation, isolationGaps } from './isolation-gaps.js';

const COMPLETE: Isolation = {
  users: true,
  namespaces: true,
  cgroups: true,
  sharedNetwork: undefined,
  closedChains: [],
  filters: true,
  images: true,
};

describe('The isolation of a machine', () => {
  it('has no gap if all mechanisms work', () => {
    expect(isolationGaps(COMPLETE)).toEqual([]);
  });

  it.each<[Partial<Isolation>, RegExp]>([
    [{ filters: false }, /^Not isolated: .*every system call.*need Perl/],
    [{ images: false }, /^Not limited: the files .* need root, loop devices and the package e2fsprogs$/],
    [{ cgroups: false }, /^Not limited: memory, processes and processors/],
    [{ closedChains: ['FORWARD of ip filter'] }, /^Not connected: .*the chain FORWARD of ip filter has no rule/],
    [{ sharedNetwork: 'nft is missing' }, /because nft is missing$/],
  ])('has one sentence about %j, with what is needed', (missing, sentence) => {
    expect(isolationGaps({ ...COMPLETE, ...missing })).toEqual([expect.stringMatching(sentence)]);
  });
});
