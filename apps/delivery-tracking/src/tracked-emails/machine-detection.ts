/** One open or click, with the state of the recipient's copy at that time. */
export interface Engagement {
  readonly userAgent: string;
  /** The request said that it is a prefetch. */
  readonly isPrefetch?: boolean;
  readonly at: string;
  /** When the relay accepted the copy; null while unknown. */
  readonly handedOverAt: string | null;
  /** When the receiving server accepted the copy; null while unknown. */
  readonly deliveredAt: string | null;
}

interface MachineRule {
  readonly reason: string;
  readonly applies: (engagement: Engagement) => boolean;
}

const agent =
  (pattern: RegExp) =>
  ({ userAgent }: Engagement) =>
    pattern.test(userAgent);

const isBefore = (at: string, then: string | null, marginMs = 0): boolean =>
  then !== null && Date.parse(at) < Date.parse(then) + marginMs;

/** No person reads a message this soon after delivery; applied only to agents that are not browsers. */
const MIN_READING_DELAY_MS = 2_000;
const NAMES_A_BROWSER = /^Mozilla\/5\.0 \(|^Opera\/|^Outlook|^Microsoft Outlook|Thunderbird/i;

/**
 * Recognises opens and clicks by machines; the first matching rule gives the reason.
 * GoogleImageProxy and YahooMailProxy are absent because they fetch when a person opens the message.
 */
const RULES: readonly MachineRule[] = [
  { reason: 'prefetched before a person asked for it', applies: ({ isPrefetch }) => isPrefetch === true },
  // Gmail fetches images with this exact agent before a person opens the message.
  { reason: 'Gmail loads images in advance', applies: agent(/ Edge\/12\.246(?: Mozilla\/5\.0)?$/) },
  { reason: 'Apple Mail Privacy Protection loads every image in advance', applies: agent(/^Mozilla\/5\.0$/) },
  {
    reason: 'security scanner',
    applies: agent(
      /barracuda|mimecast|proofpoint|symantec|messagelabs|forcepoint|fireeye|trendmicro|sophos|cloudmark|zscaler|cisco-?ironport|safelinks|Microsoft Office Existence Discovery|urldefense|virustotal|google-?safety/i,
    ),
  },
  {
    reason: 'link preview',
    applies: agent(
      /slackbot|slack-imgproxy|facebookexternalhit|twitterbot|linkedinbot|discordbot|telegrambot|whatsapp\/|skypeuripreview|bingpreview|google-pagerenderer/i,
    ),
  },
  {
    reason: 'crawler or automation',
    applies: agent(
      /\b(?:\w*bot|crawler|spider|scanner)\b|headlesschrome|phantomjs|python-requests|python-urllib|go-http-client|java\/\d|libwww-perl|apache-httpclient/i,
    ),
  },
  { reason: 'no user agent', applies: ({ userAgent }) => userAgent === '' },
  {
    reason: 'before the message was handed over',
    applies: ({ at, handedOverAt }) => isBefore(at, handedOverAt),
  },
  {
    reason: 'within two seconds of delivery, by an agent that is not a browser',
    applies: ({ at, deliveredAt, userAgent }) =>
      !NAMES_A_BROWSER.test(userAgent) && isBefore(at, deliveredAt, MIN_READING_DELAY_MS),
  },
];

/** Why the engagement came from a machine, or undefined if it probably came from a person. */
export const machineReason = (engagement: Engagement): string | undefined =>
  RULES.find(({ applies }) => applies(engagement))?.reason;

export const SEVERAL_LINKS_AT_ONCE = 'several links followed within one second';
