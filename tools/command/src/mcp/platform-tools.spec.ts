import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Context } from '../configuration/context.js';
import { platformTools } from './platform-tools.js';
import { callTool } from './testing/call-tool.js';

const SHOP = { id: '0190a6c0-0000-7000-8000-000000000001', name: 'shop' };

const call = (name: string, input: Record<string, unknown>): Promise<string> => {
  const environment = {
    XDG_CONFIG_HOME: '/nonexistent',
    POSTERN_URL: 'https://postern.example.com',
    POSTERN_PLATFORM_KEY: 'ak_live_test',
  };
  return callTool(platformTools(new Context(environment)), name, input);
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the tool set_variable', () => {
  it.each([
    ['keeps an existing variable masked', {}],
    ['unmasks a variable only if it is told to', { is_secret: false }],
    ['masks a variable', { is_secret: true }],
  ])('%s', async (_, masking) => {
    const bodies: unknown[] = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (_url, { body } = {}) => {
      if (!body) return Response.json([SHOP]);
      bodies.push(JSON.parse(String(body)));
      return Response.json({});
    });
    await call('set_variable', { key: 'A', value: '1', ...masking });
    expect(bodies).toEqual([{ key: 'A', value: '1', ...masking }]);
  });
});

describe('a tool for one of several web services', () => {
  it('names the field that chooses it', async () => {
    const services = [SHOP, { ...SHOP, id: 'other', name: 'blog' }];
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(services));
    expect(await call('list_variables', {})).toContain(
      'There are several web services. Choose one in the field `service` (id or name):\n',
    );
  });
});
