import type { Platform, WebService } from '@postern/sdk';
import type { Context } from './configuration/context.js';
import { one } from './email-services.js';

/** The web service with this id or name, or POSTERN_WEB_SERVICE, or the only one that is no preview. @throws UsageError */
export const webServiceNamed = async (
  platform: Platform,
  context: Context,
  wanted: string | undefined = context.environment['POSTERN_WEB_SERVICE'] || undefined,
): Promise<WebService> => {
  const all = await platform.webServices.list();
  const found = wanted === undefined ? all.filter(({ preview_of }) => !preview_of) : all;
  return one(found, wanted, 'web service', 'as the argument, or set POSTERN_WEB_SERVICE');
};
