export interface NotificationFields {
  readonly recipient?: string;
  readonly originalRecipient?: string;
  readonly action?: string;
  readonly status?: string;
  readonly diagnostic?: string;
  readonly charset?: string;
}

const BOUNDARY = 'example-boundary';

/** A delivery status notification (RFC 3464) as a mail server would write it. */
export const notification = ({
  recipient = 'ada@x.test',
  originalRecipient,
  action = 'delivered',
  status = '2.0.0',
  diagnostic = '250 2.0.0 stored',
  charset = 'utf-8',
}: NotificationFields = {}): string =>
  report(
    'delivery-status',
    charset,
    [
      'Reporting-MTA: dns; mx.x.test',
      '',
      ...(originalRecipient ? [`Original-Recipient: rfc822; ${originalRecipient}`] : []),
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${diagnostic}`,
    ],
    ['Subject: Your receipt'],
  );

/** A feedback report (RFC 5965) about a message that had this return path. */
export const feedbackReport = (
  returnPath: string,
  { type = 'abuse', original = ['Subject: Your receipt'] }: { type?: string; original?: readonly string[] } = {},
): string =>
  report(
    'feedback-report',
    'utf-8',
    [
      `Feedback-Type: ${type}`,
      'User-Agent: FeedbackLoop/1',
      'Version: 1',
      ...(returnPath === '' ? [] : [`Original-Mail-From: <${returnPath}>`]),
    ],
    original,
  );

function report(kind: string, charset: string, fields: readonly string[], original: readonly string[]): string {
  return [
    'From: Mail Delivery System <MAILER-DAEMON@x.test>',
    'To: somebody',
    'Subject: a report',
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${kind}; boundary="${BOUNDARY}"`,
    '',
    `--${BOUNDARY}`,
    `Content-Type: text/plain; charset=${charset}`,
    '',
    'A report.',
    `--${BOUNDARY}`,
    `Content-Type: message/${kind}`,
    '',
    ...fields,
    '',
    `--${BOUNDARY}`,
    'Content-Type: text/rfc822-headers',
    '',
    ...original,
    '',
    `--${BOUNDARY}--`,
    '',
  ].join('\r\n');
}
