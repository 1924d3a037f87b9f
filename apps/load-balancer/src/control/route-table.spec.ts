import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hostLabelOf, type RouteEntry, withBackends, withoutTraffic } from './route-table.js';

describe('The host name of a service', () => {
  it('is one valid DNS label for every service name', () =>
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: 'grapheme', maxLength: 200 }), (id, name) => {
        expect(hostLabelOf(id, name)).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/);
      }),
    ));

  it('is readable, and different for services with the same name', () => {
    expect(hostLabelOf('0192f0c1-7c3a-7d31-9d4a-5a1b2c3d4e5f', 'Café & Shop!')).toBe('cafe-shop-2c3d4e5f');
    expect(hostLabelOf('0192f0c1-7c3a-7d31-9d4a-5a1b2c3d4e60', 'Café & Shop!')).toBe('cafe-shop-2c3d4e60');
    expect(hostLabelOf('0192f0c1-7c3a-7d31-9d4a-5a1b2c3d4e5f', '店')).toBe('service-2c3d4e5f');
  });
});

describe('A route', () => {
  const backends = [{ id: 'one', host: '127.0.0.1', port: 3_000 }];
  const entry: RouteEntry = {
    id: 'a',
    name: 'shop',
    port: 20_000,
    hostLabel: 'shop-a',
    version: 3,
    closed: 'stopped',
    backends: [],
  };

  it('is opened with backends and closed with a reason, at the same or a later version', () => {
    const opened = withBackends(entry, backends, 4);

    expect(opened).toMatchObject({ backends, version: 4, closed: null });
    expect(withoutTraffic(opened, 'blocked')).toMatchObject({ backends: [], version: 4, closed: 'blocked' });
    expect(() => withBackends(opened, [], 3)).toThrow('older');
    expect(() => withoutTraffic(opened, 'stopped', 3)).toThrow('older');
  });
});
