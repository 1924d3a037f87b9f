import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { command, invocation } from '../command-line.js';
import { UsageError } from '../errors.js';
import { webServiceNamed } from '../web-services.js';

const BROWSERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

interface OpenOptions {
  readonly print?: boolean;
  readonly json?: boolean;
}

/** `postern open`: opens a page in the browser. */
export const open = (): Command =>
  command('open', 'Open the dashboard, the documentation or a web service in the browser', [
    'postern open',
    'postern open docs',
    'postern open storefront --print',
  ])
    .argument('[what]', '"dashboard", "docs", or the id or name of a web service', 'dashboard')
    .option('--print', 'print the URL only')
    .action(async (what: string, options: OpenOptions) => {
      const { context, output } = invocation(options);
      const pages: Readonly<Record<string, string>> = {
        dashboard: `${context.url}/dashboard`,
        docs: `${context.url}/docs`,
      };
      const url = pages[what] ?? (await webServiceNamed(context.platform(), context, what)).url;
      if (!url) throw new UsageError(`${what} has no URL yet. Deploy it first: postern deploy ${what}`);
      output.result({ url }, url);
      if (!options.print && !options.json) openInBrowser(url);
    });

const openInBrowser = (url: string): void => {
  const [program, ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  // Without a browser, the printed URL is the result.
  child.once('error', () => undefined);
  child.unref();
};
