import type { McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { RegisteredTool } from '../tool.js';

type Handle = (input: unknown) => Promise<{ readonly content: readonly { readonly text: string }[] }>;

/** Calls a tool as a server does: with the input that its schema returns. @returns the text of its result */
export const callTool = async (
  tools: readonly RegisteredTool[],
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const registered: { readonly inputSchema: z.ZodObject; readonly handle: Handle }[] = [];
  const server = {
    registerTool: (_: string, { inputSchema }: { readonly inputSchema: z.ZodObject }, handle: Handle) =>
      registered.push({ inputSchema, handle }),
  };
  tools.find(tool => tool.name === name)?.register(server as unknown as McpServer);
  const [{ inputSchema, handle }] = registered as [(typeof registered)[0]];
  const { content } = await handle(inputSchema.parse(input));
  return content.map(({ text }) => text).join('\n');
};
