import { McpServer } from '@modelcontextprotocol/server';
import type { Context } from '../configuration/context.js';
import { emailKeyTools, sessionTools } from './email-tools.js';
import { platformTools } from './platform-tools.js';
import type { RegisteredTool } from './tool.js';
import { workspaceTools } from './workspace-tools.js';

/**
 * The tools that the credentials of a context allow. Tools that change something are offered only on request, because an
 * agent reads text that strangers have written. With a read-only platform key, no platform tool changes anything.
 */
export const toolsOf = async (context: Context, withWrites: boolean): Promise<readonly RegisteredTool[]> => {
  const scope = context.platformKey === undefined ? undefined : (await context.platform().ownKey()).scope;
  const reads = ({ effect }: RegisteredTool) => effect === 'reads';
  const platform = scope === undefined ? [] : platformTools(context).filter(tool => scope === 'write' || reads(tool));
  const email = context.emailKey === undefined ? [] : emailKeyTools(context);
  const session = context.sessionToken === undefined ? [] : [...workspaceTools(context), ...sessionTools(context)];
  return [...email, ...session, ...platform].filter(tool => withWrites || reads(tool));
};

/** A Model Context Protocol server with these tools. */
export const mcpServer = (tools: readonly RegisteredTool[], version: string): McpServer => {
  const server = new McpServer({ name: 'postern', version });
  for (const tool of tools) tool.register(server);
  return server;
};
