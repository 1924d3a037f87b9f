/** One opening of a message or one click in it, with what is known of the recipient's copy at that moment. */
export interface Engagement {
  readonly userAgent: string;
  readonly at: string;
  /** When the relay took the copy; null while that is not known. */
  readonly handedOverAt: string | null;
  /** When the receiving server took the copy; null while that is not known. */
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

const before = (at: string, then: string | null, marginMs = 0): boolean =>
  then !== null && Date.parse(at) < Date.parse(then) + marginMs;

/** Nobody has read a message this soon after it arrived; only agents that name no browser are judged by it. */
const INHUMANLY_SOON_MS = 2_000;
const NAMES_A_BROWSER = /^Mozilla\/5\.0 \(|^Opera\/|^Outlook|^Microsoft Outlook|Thunderbird/i;

/**
 * Who opens mail and follows links without a person behind it; the first rule that applies gives the reason.
 * GoogleImageProxy and YahooMailProxy are left out on purpose: they fetch when a person opens the message.
 */
const RULES: readonly MachineRule[] = [
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
    applies: ({ at, handedOverAt }) => before(at, handedOverAt),
  },
  {
    reason: 'within two seconds of the delivery, by an agent that is no browser',
    applies: ({ at, deliveredAt, userAgent }) =>
      !NAMES_A_BROWSER.test(userAgent) && before(at, deliveredAt, INHUMANLY_SOON_MS),
  },
];

/** Why this was a machine, or undefined where a person is the better guess. */
export const machineReason = (engagement: Engagement): string | undefined =>
  RULES.find(({ applies }) => applies(engagement))?.reason;

export const SEVERAL_LINKS_AT_ONCE = 'several links followed within one second';
