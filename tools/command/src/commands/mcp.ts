import type { Command } from 'commander';
import { command, invocation } from '../command-line.js';
import { NotSignedInError } from '../errors.js';

/** `postern mcp`: serves the same operations as Model Context Protocol tools over standard input and output. */
export const mcp = (version: string): Command =>
  command('mcp', 'Run an MCP server for AI assistants', [
    'postern mcp',
    'postern mcp --allow-writes',
    'claude mcp add postern -- postern mcp',
  ])
    .option('--allow-writes', 'also offer the tools that send email, deploy, and change variables')
    .action(async (options: { allowWrites?: boolean; json?: boolean }) => {
      const { context, output } = invocation(options);
      // Other commands start faster without it.
      const [{ mcpServer, toolsOf }, { serveStdio }] = await Promise.all([
        import('../mcp/server.js'),
        import('@modelcontextprotocol/server/stdio'),
      ]);
      const tools = await toolsOf(context, options.allowWrites === true);
      if (tools.length === 0)
        throw new NotSignedInError(
          'No credential is configured, so no tools are available. Run `postern login` first.',
        );
      output.note(`Postern at ${context.url}: ${tools.map(({ name }) => name).join(', ')}`);
      serveStdio(() => mcpServer(tools, version));
    });
