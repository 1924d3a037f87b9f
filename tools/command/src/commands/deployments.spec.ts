import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { program } from '../program.js';

const SERVICE = { id: '0190a6c0-0000-7000-8000-000000000001', name: 'shop' };
const FAILED = {
  id: '0190a6c0-0000-7000-8000-000000000002',
  status: 'failed',
  commit: '33b75211e4e27c5b59f336e3a3f180d62023c1a3',
  created_at: '2030-01-31T12:00:00.000Z',
  error: 'npm run build exited with code 1',
};

describe('postern deployments', () => {
  let written: jest.SpiedFunction<typeof process.stdout.write>;

  beforeEach(() => {
    Object.assign(process.env, {
      XDG_CONFIG_HOME: '/nonexistent',
      POSTERN_URL: 'https://postern.example.com',
      POSTERN_PLATFORM_KEY: 'ak_live_test',
    });
    written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, { method } = {}) => {
      const { pathname, search } = new URL(String(url));
      const path = pathname.replace(/^.*\/web-services/, '') + search;
      if (path === '') return Response.json([SERVICE]);
      if (path === `/${SERVICE.id}/deployments?limit=20`) return Response.json({ items: [FAILED], total: 1 });
      if (path === `/${SERVICE.id}/deployments/${FAILED.id}/logs`)
        return Response.json({ lines: [{ message: 'sh: tsc: not found' }] });
      if (path === `/${SERVICE.id}/deployments/${FAILED.id}/cancel` && method === 'POST')
        return Response.json({ ...FAILED, status: 'cancelled' }, { status: 202 });
      return Response.json({ detail: `no route ${path}` }, { status: 404 });
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const printed = async (...args: readonly string[]): Promise<string> => {
    await program('1.2.3').parseAsync(['node', 'postern', 'deployments', ...args]);
    return written.mock.calls.map(([text]) => String(text)).join('');
  };

  it('lists the deployments of the only web service with their errors', async () =>
    expect(await printed('list')).toMatch(
      new RegExp(`${FAILED.id} +failed +33b75211e4e2 +2030-01-31T12:00:00.000Z +npm run build exited with code 1`),
    ));

  it('prints the log of one deployment only', async () =>
    expect(await printed('logs', FAILED.id, '--service', 'shop')).toBe('sh: tsc: not found\n'));

  it('cancels one', async () => expect(await printed('cancel', FAILED.id)).toBe(`${FAILED.id}  cancelled\n`));
});
