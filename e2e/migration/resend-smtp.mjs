// A sample application that sends over the SMTP of Resend with nodemailer. For Postern, only its environment changes.
import nodemailer from 'nodemailer';

const {
  SMTP_HOST = 'smtp.resend.com',
  SMTP_PORT = '465',
  SMTP_PASSWORD,
  TO = 'delivered@resend.dev',
  IDEMPOTENCY_KEY = `welcome-${Date.now()}`,
} = process.env;

const transporter = nodemailer.createTransport({
  host: SMTP_HOST,
  secure: SMTP_PORT === '465',
  port: Number(SMTP_PORT),
  auth: { user: 'resend', pass: SMTP_PASSWORD },
});
const info = await transporter.sendMail({
  from: 'Acme <onboarding@migration.test>',
  to: TO,
  subject: 'Hello World',
  html: '<strong>It works!</strong>',
  headers: { 'Resend-Idempotency-Key': IDEMPOTENCY_KEY },
});
console.log('Message sent: %s', info.response);
