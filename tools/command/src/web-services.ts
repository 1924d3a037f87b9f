import type { Platform, WebService } from '@postern/sdk';
import type { Context } from './configuration/context.js';
import { one } from './email-services.js';

/** The web service with this id or name, or POSTERN_WEB_SERVICE, or the only web service. @throws UsageError */
export const webServiceNamed = async (
  platform: Platform,
  context: Context,
  wanted: string | undefined = context.environment['POSTERN_WEB_SERVICE'] || undefined,
): Promise<WebService> =>
  one(await platform.webServices.list(), wanted, 'web service', 'as the argument, or set POSTERN_WEB_SERVICE');
