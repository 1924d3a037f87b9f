import type { Platform, WebService } from '@postern/sdk';
import type { Context } from './configuration/context.js';
import { one } from './email-services.js';

const OR_VARIABLE = ', or set POSTERN_WEB_SERVICE';
/** How a command names its web service. */
export const BY_ARGUMENT = `by its id or name as the argument${OR_VARIABLE}`;
export const BY_OPTION = `with --service (id or name)${OR_VARIABLE}`;

/** The web service with this id or name, or POSTERN_WEB_SERVICE, or the only one that is no preview. @throws UsageError */
export const webServiceNamed = async (
  platform: Platform,
  context: Context,
  wanted: string | undefined = context.environment['POSTERN_WEB_SERVICE'] || undefined,
  how = BY_ARGUMENT,
): Promise<WebService> => {
  const all = await platform.webServices.list();
  const found = wanted === undefined ? all.filter(({ preview_of }) => !preview_of) : all;
  return one(found, wanted, 'web service', how);
};
