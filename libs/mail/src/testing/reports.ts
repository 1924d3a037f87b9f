/** RFC 3464: one recipient relayed, one failed. */
export const notification = `From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
To: b+token@bounce.example.com
Subject: Delivery Status Notification
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="AB/cd.1234=_x"

Not for humans.

--AB/cd.1234=_x
Content-Type: text/plain; charset=us-ascii

I could not deliver.
Final-Recipient: rfc822; text@example.org
Action: failed

--AB/cd.1234=_x
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
Original-Envelope-Id: 0198c0de
Arrival-Date: Fri, 02 Jan 2026 03:04:05 +0000

Final-Recipient: rfc822; ada@example.org
Original-Recipient: rfc822;ada@example.org
Action: relayed
Status: 2.0.0
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 250 2.0.0 Ok: queued as 42

Final-Recipient: rfc822; bob@example.org
Original-Recipient: rfc822;bob+2Bx@example.org
Action: failed
Status: 5.1.1
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550-5.1.1 <bob@example.org>:
    user unknown

--AB/cd.1234=_x
Content-Type: text/rfc822-headers

From: Ada <a@example.com>
Message-ID: <0198c0de@mail.example.com>
Subject: Hello

--AB/cd.1234=_x--
`;

/** RFC 5965: two recipients' complaint. */
export const complaint = `From: fbl@example.net
Subject: FW: Hello
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary=bb

--bb
Content-Type: text/plain

This is an abuse report.
--bb
Content-Type: message/feedback-report

Feedback-Type: Abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <b+token@bounce.example.com>
Original-Rcpt-To: <ada@example.org>
Original-Rcpt-To: bob@example.org
Source-IP: 192.0.2.1
--bb
Content-Type: message/rfc822

Message-ID: <0198c0de@mail.example.com>
Subject: Hello

Body
--bb--
`;
