import { describe, expect, it } from '@jest/globals';
import {
  blocksIn,
  blockText,
  namePrefix,
  overlap,
  parseBlock,
  platformAddress,
  SLOTS,
  slotAddresses,
  slotName,
  slotOfName,
} from './address-block.js';

describe('a network of addresses', () => {
  it.each(['10.213.7.9/20', '10.213.0.0/20'])('is read from %s, without the bits of a host', text =>
    expect(blockText(parseBlock(text))).toBe('10.213.0.0/20'),
  );

  it.each(['10.0.0.0/33', '10.0.0', '10.0.0.256', 'fd00::/64', '10.0.0.0/8, 11.0.0.0/8', ''])(
    'is refused if the text is "%s"',
    text => expect(() => parseBlock(text)).toThrow('is not an IPv4 network'),
  );

  it('overlaps another one that contains it or is in it, and no neighbour', () => {
    const block = parseBlock('10.208.16.0/20');
    for (const other of ['10.208.16.0/24', '10.0.0.0/8', '10.208.31.255', '0.0.0.0/0'])
      expect(overlap(block, parseBlock(other))).toBe(true);
    for (const other of ['10.208.32.0/20', '10.208.0.0/20', '192.168.0.0/16'])
      expect(overlap(block, parseBlock(other))).toBe(false);
  });
});

describe('a block of a pool', () => {
  const blocks = blocksIn(parseBlock('10.208.0.0/12'));

  it('is one of 256 that do not overlap', () => {
    expect(blocks).toHaveLength(256);
    expect(blocks.map(blockText)).toEqual(expect.arrayContaining(['10.208.0.0/20', '10.223.240.0/20']));
    expect(blocksIn(parseBlock('10.208.0.0/24'))).toEqual([]);
  });

  it('gives each sandbox two addresses and a name that the kernel accepts', () => {
    const block = blocks[255]!;
    expect(platformAddress(block)).toBe('10.223.240.1');
    expect(slotAddresses(block, 1)).toEqual({ platform: '10.223.240.5', sandbox: '10.223.240.6' });
    expect(slotAddresses(block, SLOTS - 1).sandbox).toBe('10.223.255.254');
    const names = [1, 2, SLOTS - 1].map(slot => slotName(block, slot));
    for (const name of names) expect(name.length).toBeLessThan(16);
    expect(names.map(name => slotOfName(block, name))).toEqual([1, 2, SLOTS - 1]);
    expect(slotOfName(blocks[0]!, names[0]!)).toBeUndefined();
    expect(slotOfName(block, namePrefix(block))).toBeUndefined();
  });
});
