import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { Context } from '../configuration/context.js';
import { platformTools } from './platform-tools.js';

type Handle = (input: unknown) => Promise<unknown>;

/** Calls a tool as a server does: with the input that its schema returns. */
const call = async (name: string, input: Record<string, unknown>): Promise<void> => {
  const environment = {
    XDG_CONFIG_HOME: '/nonexistent',
    POSTERN_URL: 'https://postern.example.com',
    POSTERN_PLATFORM_KEY: 'ak_live_test',
  };
  const registered: { readonly inputSchema: z.ZodObject; readonly handle: Handle }[] = [];
  const server = {
    registerTool: (_: string, { inputSchema }: { readonly inputSchema: z.ZodObject }, handle: Handle) =>
      registered.push({ inputSchema, handle }),
  };
  platformTools(new Context(environment))
    .find(tool => tool.name === name)
    ?.register(server as unknown as McpServer);
  for (const { inputSchema, handle } of registered) await handle(inputSchema.parse(input));
};

describe('the tool set_variable', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['keeps an existing variable masked', {}],
    ['unmasks a variable only if it is told to', { is_secret: false }],
    ['masks a variable', { is_secret: true }],
  ])('%s', async (_, masking) => {
    const bodies: unknown[] = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (_url, { body } = {}) => {
      if (!body) return Response.json([{ id: '0190a6c0-0000-7000-8000-000000000001', name: 'shop' }]);
      bodies.push(JSON.parse(String(body)));
      return Response.json({});
    });
    await call('set_variable', { key: 'A', value: '1', ...masking });
    expect(bodies).toEqual([{ key: 'A', value: '1', ...masking }]);
  });
});
