import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { program } from '../program.js';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const SERVICE = { id: '0190a6c0-0000-7000-8000-000000000001', name: 'shop' };
const A = { id: 'a', key: 'A', value: '1', is_secret: false };

describe('postern env', () => {
  let calls: Call[];
  let services: readonly object[];
  let answer: (() => Response) | undefined;
  let written: jest.SpiedFunction<typeof process.stdout.write>;

  beforeEach(() => {
    calls = [];
    services = [SERVICE];
    answer = undefined;
    Object.assign(process.env, {
      XDG_CONFIG_HOME: '/nonexistent',
      POSTERN_URL: 'https://postern.example.com',
      POSTERN_PLATFORM_KEY: 'ak_live_test',
    });
    written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, { method = 'GET', body } = {}) => {
      const path = new URL(String(url)).pathname.replace(/^.*\/web-services/, '');
      if (path === '') return Response.json(services);
      if (method === 'GET') return Response.json([A]);
      const repeated = method === 'DELETE' && calls.some(call => call.path === path);
      calls.push({ method, path, body: body && JSON.parse(String(body)) });
      if (repeated) return Response.json({ detail: 'There is no such variable.' }, { status: 404 });
      if (answer) return answer();
      return Response.json(method === 'DELETE' ? { id: A.id, deleted: true } : { created: [], updated: [] });
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const run = (...args: readonly string[]) => program('1.2.3').parseAsync(['node', 'postern', 'env', ...args]);

  it.each([
    ['leaves is_secret out without an option', ['A=1'], { key: 'A', value: '1' }],
    ['unmasks only with --no-secret', ['A=1', '--no-secret'], { key: 'A', value: '1', is_secret: false }],
  ])('%s', async (_, args, variable) => {
    await run('set', ...args, '--service', 'shop');
    expect(calls).toEqual([{ method: 'PUT', path: `/${SERVICE.id}/env/bulk`, body: { variables: [variable] } }]);
  });

  it('names a refused key as it was given, not by its position in the request', async () => {
    answer = () => Response.json({ detail: 'variables[1].key must be a name; colour is wrong.' }, { status: 400 });
    await expect(run('set', 'A=1', 'MY-VAR=2', '--service', 'shop')).rejects.toThrow(
      /^The key "MY-VAR" must be a name; colour is wrong\.$/,
    );
  });

  it('names the option that chooses one of several web services', async () => {
    services = [SERVICE, { ...SERVICE, id: 'other', name: 'blog' }];
    await expect(run('list')).rejects.toThrow(
      'There are several web services. Choose one with --service (id or name), or set POSTERN_WEB_SERVICE:',
    );
  });

  it('deletes a key once if it is repeated', async () => {
    await run('unset', 'A', 'A', '--service', 'shop', '--json');
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([`DELETE /${SERVICE.id}/env/${A.id}`]);
    expect(JSON.parse(String(written.mock.calls[0]?.[0]))).toEqual({ deleted: ['A'] });
  });
});
