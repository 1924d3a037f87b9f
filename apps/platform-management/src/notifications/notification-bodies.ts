import type { Notification } from '@postern/contracts';

/** Slack reads these characters as markup (docs.slack.dev, "Formatting text"). */
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string => text.replace(/[&<>]/g, character => ESCAPES[character]!);

/** The body for a target of the kind `webhook`. */
export const webhookBody = (notification: Notification): string => JSON.stringify(notification);

/** The body for a target of the kind `slack`: text with a link to the dashboard. Names of tenants cannot contain markup. */
export const slackBody = ({ summary, text, url }: Notification): string =>
  JSON.stringify({
    text: [
      `*${escaped(summary).replaceAll('*', '')}*`,
      escaped(text),
      ...(url === null ? [] : [`<${url}|Open in Postern>`]),
    ].join('\n'),
  });
