import { describe, expect, it } from '@jest/globals';
import { countsOf, settingsOf } from './settings.js';

describe('Settings in arguments', () => {
  it('are JSON or text, can be nested, and are reset without a value', () =>
    expect(
      settingsOf([
        'max_instances=3',
        'disk.size_mib=1024',
        'branch=',
        'name=A=B',
        'watch_paths=["apps/web"]',
        'x=true',
      ]),
    ).toEqual({
      max_instances: 3,
      disk: { size_mib: 1024 },
      branch: null,
      name: 'A=B',
      watch_paths: ['apps/web'],
      x: true,
    }));

  it.each(['max_instances', '=3', 'a..b=1', '__proto__.x=1'])('%s is refused', pair =>
    expect(() => settingsOf([pair])).toThrow(/is not/),
  );

  it('are refused if one is a value and an object', () =>
    expect(() => settingsOf(['disk=1', 'disk.size_mib=2'])).toThrow('disk is given as a value and as an object.'));
});

describe('Counts in arguments', () => {
  it.each([
    [['2'], { min_instances: 2, max_instances: 2 }],
    [['1-3'], { min_instances: 1, max_instances: 3 }],
    [
      ['web=2', 'worker=1', 'mail-er=0'],
      { min_instances: 2, max_instances: 2, processes: { worker: 1, 'mail-er': 0 } },
    ],
  ])('%j are %j', (given, counts) => expect(countsOf(given)).toEqual(counts));

  it.each(['', '-1', 'worker=1-2', 'two', 'web='])('%j is refused', each =>
    expect(() => countsOf([each])).toThrow('is not a number of instances'),
  );
});
