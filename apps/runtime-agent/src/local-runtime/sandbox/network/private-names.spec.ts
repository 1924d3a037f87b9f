import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { namedServices, PrivateAddresses, privateNameOf } from './private-names.js';

describe('The host name of a web service within its project', () => {
  it.each([
    ['api', 'api.internal'],
    ['Shop Front', 'shop-front.internal'],
    ['Café Öl', 'cafe-ol.internal'],
    ['--a__b--', 'a-b.internal'],
    ['x'.repeat(80), `${'x'.repeat(63)}.internal`],
    ['日本', undefined],
    ['Postern', undefined],
  ])('%s is %s', (name, host) => expect(privateNameOf(name)).toBe(host));

  it('belongs to the oldest of several services with the same name, and to one in each project', () => {
    const of = (webServiceId: string, projectId: string, name = 'API') => ({ webServiceId, projectId, name, port: 80 });
    expect(namedServices([of('3', 'p'), of('1', 'p', 'api'), of('2', 'q')]).map(each => each.webServiceId)).toEqual([
      '1',
      '2',
    ]);
  });
});

describe('The private address of a web service', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-addresses-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('stays the same over restarts, and is not used again at once', async () => {
    const first = await PrivateAddresses.in(folder).assign(['a', 'b']);
    expect([...first]).toEqual([
      ['a', '198.18.0.1'],
      ['b', '198.18.0.2'],
    ]);
    const again = PrivateAddresses.in(folder);
    expect(Object.fromEntries(await again.assign(['b', 'c']))).toEqual({ b: '198.18.0.2', c: '198.18.0.3' });
    expect(Object.fromEntries(await again.assign(['b', 'c', 'a']))).toEqual({
      ...{ a: '198.18.0.4', b: '198.18.0.2', c: '198.18.0.3' },
    });
  });
});
