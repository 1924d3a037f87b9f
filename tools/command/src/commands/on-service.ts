import { invocation } from '../command-line.js';
import { BY_OPTION, webServiceNamed } from '../web-services.js';

export const EFFECT = 'Takes effect at the next start, restart or deployment.';

export interface ServiceOptions {
  readonly json?: boolean;
  readonly service?: string;
}

/** The option of commands about one web service. */
export const SERVICE = [
  '--service <id or name>',
  'web service; POSTERN_WEB_SERVICE, or the only one, by default',
] as const;

/** The web service that a command is about, and what it calls and prints with. */
export const onService = async (options: ServiceOptions, { context, output } = invocation(options)) => {
  const platform = context.platform();
  return { context, output, platform, id: (await webServiceNamed(platform, context, options.service, BY_OPTION)).id };
};
