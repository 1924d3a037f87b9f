import type { PlatformWorld } from '../platform/platform-world.js';
import { createEmailContent } from './email-content.js';
import { createPlatformContent } from './platform-content.js';

/** Creates content for every kind of page. @returns the paths of the pages. */
export const createContent = async (platform: PlatformWorld): Promise<readonly string[]> => [
  '/',
  ...(await createEmailContent(platform.world)),
  ...(await createPlatformContent(platform)),
  ...[
    '/email-services',
    '/management-keys',
    '/platform-keys',
    '/moderation',
    '/provider-endpoints',
    '/system',
    '/users',
    '/workspace',
    '/members',
    '/invitations',
    '/audit-log',
    '/account',
  ],
  '/no-such-page',
];
