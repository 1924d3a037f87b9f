// A sample application that sends over the SMTP of Postmark with nodemailer. For Postern, only its environment changes.
import nodemailer from 'nodemailer';

const {
  SMTP_HOST = 'smtp.postmarkapp.com',
  SMTP_PORT = '587',
  SMTP_PASSWORD,
  TO = 'receiver@example.com',
  METADATA = 'order-id',
} = process.env;

const transporter = nodemailer.createTransport({
  host: SMTP_HOST,
  port: Number(SMTP_PORT),
  auth: { user: SMTP_PASSWORD, pass: SMTP_PASSWORD },
});
const info = await transporter.sendMail({
  from: 'sender@migration.test',
  to: TO,
  subject: 'Your receipt',
  text: 'Thanks for your order!',
  html: '<html><body><p>Thanks! <a href="https://example.com/receipt">Your receipt</a></p></body></html>',
  messageId: '<my-own-id@migration.test>',
  headers: {
    'X-PM-Tag': 'invitation',
    'X-PM-Message-Stream': 'outbound',
    [`X-PM-Metadata-${METADATA}`]: '4711',
    'X-PM-Metadata-Color': 'blue',
    'X-PM-TrackOpens': 'true',
    'X-PM-TrackLinks': 'None',
    'X-PM-KeepID': 'true',
  },
});
console.log('Message sent: %s', info.response);
