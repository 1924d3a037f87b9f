import { isIP } from 'node:net';
import type { EmailSendConfig } from '../config.js';

/** The host that tracking hosts are aliases of; undefined if the installation has no name that others can reach. */
export const trackingTargetOf = ({
  trackingHost,
  publicUrl,
}: Pick<EmailSendConfig, 'trackingHost' | 'publicUrl'>): string | undefined => {
  const host = (trackingHost ?? URL.parse(publicUrl)?.hostname ?? '').toLowerCase().replace(/\.$/, '');
  return host.includes('.') && isIP(host) === 0 ? host : undefined;
};
