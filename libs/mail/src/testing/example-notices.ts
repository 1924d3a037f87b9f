import { head } from './mail-head.js';

/** Notices in the formats of mail systems, written for tests. Each is about ada@example.org unless stated otherwise. */

const ORIGINAL =
  'From: Shop <shop@example.com>\nTo: ada@example.org\nSubject: Your receipt\nMessage-ID: <1@example.com>\n\nThanks.\n';

/** The mail, its recipients, and its classification. */
export interface ExampleNotice {
  readonly mail: string;
  readonly addresses: readonly (string | undefined)[];
  readonly action: 'failed' | 'delayed';
  readonly type: 'hard' | 'soft';
  readonly rule: string;
}

const failed = (
  mail: string,
  type: 'hard' | 'soft',
  rule: string,
  addresses: readonly (string | undefined)[] = ['ada@example.org'],
): ExampleNotice => ({
  mail,
  addresses,
  action: 'failed',
  type,
  rule,
});

export const EXAMPLE_NOTICES: Readonly<Record<string, ExampleNotice>> = {
  'Exim, which calls itself an automatic reply': failed(
    `${head('X-Failed-Recipients: ada@example.org\nAuto-Submitted: auto-replied\nFrom: Mail Delivery System <Mailer-Daemon@mx.example.net>\nSubject: Mail delivery failed: returning message to sender\n')}
This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ada@example.org
    host mail.example.org [192.0.2.9]
    SMTP error from remote mail server after RCPT TO:<ada@example.org>:
    550 5.1.1 <ada@example.org>: no such user

------ This is a copy of the message, including all the headers. ------

${ORIGINAL}`,
    'hard',
    'code.1.1',
  ),
  'qmail with a full mailbox': failed(
    `${head('From: MAILER-DAEMON@mx.example.net\nSubject: failure notice\n')}
Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ada@example.org>:
192.0.2.9 does not like recipient.
Remote host said: 552 5.2.2 The mailbox is over quota
Giving up on 192.0.2.9.

--- Below this line is a copy of the message.

${ORIGINAL}`,
    'soft',
    'words.mailbox-full',
  ),
  'OpenSMTPD with two recipients': failed(
    `${head('From: Mailer Daemon <MAILER-DAEMON@mx.example.net>\nSubject: Delivery status notification: error\n')}
    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this email.

    An error has occurred while attempting to deliver a message for
    the following list of recipients:

ada@example.org: 550 5.1.1 Recipient unknown
bob@example.org: 550 5.7.1 Your IP is listed by a blocklist

    Below is a copy of the original message:

${ORIGINAL}`,
    'hard',
    'code.1.1',
    ['ada@example.org', 'bob@example.org'],
  ),
  'Exchange without any code': failed(
    `${head('From: System Administrator <postmaster@example.org>\nSubject: Undeliverable: Your receipt\n')}
Your message

  To:      ada@example.org
  Subject: Your receipt
  Sent:    Sun, 1 Mar 2026 12:00:00 +0000

did not reach the following recipient(s):

ada@example.org on Sun, 1 Mar 2026 12:00:05 +0000
    The e-mail account does not exist at the organization this message was sent to.
`,
    'hard',
    'stated.unknown',
  ),
  'a host that quotes the reply of another': failed(
    `${head('From: MAILER-DAEMON (Mail Delivery System)\nSubject: Undelivered Mail Returned to Sender\n')}
<ada@example.org>: host mx.example.org[192.0.2.9] said: 550 5.1.1
    <ada@example.org>: Your IP address is blocked using zen.spamhaus.org (in reply to RCPT TO command)
`,
    'soft',
    'words.reputation',
  ),
  'a broken report whose fields stand in its text': failed(
    `${head('From: postmaster@example.org\nSubject: Returned mail\nContent-Type: multipart/report; boundary=lost\n')}
Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: 5.1.1
`,
    'hard',
    'status.1.1',
  ),
  'Exchange with the To of a list and an X.400 name': failed(
    `${head('From: System Administrator <postmaster@example.org>\nSubject: Undeliverable: Your receipt\n')}
Your message

  To:      list@lists.example.com
  Subject: Your receipt

did not reach the following recipient(s):

c=US;a= ;p=Example;o=Nexus;dda:SMTP=ada@example.org; on Sun, 1 Mar 2026
    The recipient name is not recognized
`,
    'hard',
    'words.unknown-user',
  ),
  'Exim with a forward whose target it keeps to itself': failed(
    `${head('Auto-Submitted: auto-generated\nFrom: Mail Delivery System <Mailer-Daemon@mx.example.net>\nSubject: Mail delivery failed: returning message to sender\n')}
A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  an undisclosed address
    (generated from ada@example.org)
`,
    'soft',
    'none',
    [undefined],
  ),
  'sendmail with a refusal in reply to DATA': failed(
    `${head('From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>\nSubject: Returned mail: see transcript for details\n')}
   ----- The following addresses had permanent fatal errors -----
<ada@example.org>
    (reason: 550 Unknown user ada@example.org)

   ----- Transcript of session follows -----
... while talking to mail.example.org.:
>>> DATA
<<< 550 Unknown user ada@example.org
554 5.0.0 Service unavailable
`,
    'soft',
    'stated.unknown',
  ),
  'sendmail with a refusal of RCPT that came after DATA was sent': failed(
    `${head('From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>\nSubject: Returned mail: see transcript for details\n')}
   ----- The following addresses had permanent fatal errors -----
<ada@example.org>
    (reason: 550 <ada@example.org>... User unknown)

   ----- Transcript of session follows -----
... while talking to mail.example.org.:
>>> DATA
<<< 550 <ada@example.org>... User unknown
550 5.1.1 <ada@example.org>... User unknown
<<< 503 5.0.0 Need RCPT (recipient)
`,
    'hard',
    'stated.unknown',
  ),
  'sendmail with replies of several sessions': failed(
    `${head('From: Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>\nSubject: Returned mail: User unknown\n')}
   ----- Transcript of session follows -----
554 <ada@example.org>... Remote protocol error: Connection reset by peer
550 mail.example.net (smtp)... 550 Host unknown
554 <bob@example.net>... 550 Host unknown (Authoritative answer from name server)
`,
    'soft',
    'words.protocol',
    ['ada@example.org', 'bob@example.net'],
  ),
  'qmail, whose last line is not the cause': failed(
    `${head('From: MAILER-DAEMON@mx.example.net\nSubject: failure notice\n')}
This is a permanent error; I've given up. Sorry it didn't work out.

<ada@example.org>:
192.0.2.9 does not like recipient.
Remote host said: 550 User unknown in virtual alias table
Giving up on 192.0.2.9.
`,
    'hard',
    'stated.unknown',
  ),
  'words that name the queue before the recipients': failed(
    `${head('From: Mail Administrator <postmaster@mx.example.net>\nSubject: Mail System Error - Returned Mail\n')}
This message was undeliverable due to the following reason:

Your message was not delivered within 2 days.
Host example.org is not responding.

The following recipients did not receive your message:

     <ada@example.org>
`,
    'soft',
    'words.expired',
  ),
  'a report that another mail passes on': failed(
    `${head('From: MAILER-DAEMON@relay.example.net\nSubject: Returned mail\nContent-Type: multipart/mixed; boundary=outer\n')}
--outer
Content-Type: message/rfc822

From: MAILER-DAEMON@mx.example.org
Subject: Undeliverable
Content-Type: multipart/report; report-type=delivery-status; boundary=inner

--inner
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 User unknown

--inner--
--outer--
`,
    'hard',
    'code.1.1',
  ),
  'a report in Chinese': failed(
    `${head('From: MAILER-DAEMON@mx.example.net\nSubject: =?utf-8?B?6YCA5L+h?=\nContent-Type: text/plain; charset=utf-8\n')}
您的邮件无法投递：

<ada@example.org>: 用户不存在
`,
    'hard',
    'words.other-language',
  ),
  'HTML only': failed(
    `${head('From: Postmaster <postmaster@example.org>\nSubject: Undeliverable: Your receipt\nContent-Type: text/html\n')}
<html><head><style>p {color: red}</style></head><body><p>Your message to <a href="mailto:ada@example.org">ada@example.org</a>
couldn't be delivered.</p><p>550 5.1.351 Remote server returned unknown recipient</p></body></html>
`,
    'hard',
    'exchange-online.unknown-recipient',
  ),
  'a group that takes no mail from strangers': failed(
    `${head('Auto-Submitted: auto-replied\nX-Failed-Recipients: ada@example.org\nFrom: Mail Delivery Subsystem <mailer-daemon@googlemail.com>\nSubject: Delivery Status Notification (Failure)\n')}
Hello shop@example.com,

We're writing to let you know that the group you tried to contact (ada) may not exist, or you may not have permission
to post messages to the group.
`,
    'soft',
    'google-groups.no-permission',
  ),
  'a warning that names a temporary reply': {
    mail: `${head('From: Mail Delivery Subsystem <mailer-daemon@example.net>\nSubject: Delivery Status Notification (Delay)\n')}
THIS IS A WARNING MESSAGE ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE.

Delivery to the following recipient has been delayed:

     ada@example.org

Message will be retried for 2 more day(s). The error was: 450 4.2.2 Mailbox full
`,
    addresses: ['ada@example.org'],
    action: 'delayed',
    type: 'soft',
    rule: 'words.mailbox-full',
  },
};
