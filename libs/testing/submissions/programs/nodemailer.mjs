import { readFileSync } from 'node:fs';
import nodemailer from 'nodemailer';

const m = JSON.parse(readFileSync(new URL('message.json', import.meta.url)));
const transport = nodemailer.createTransport({ host: '127.0.0.1', port: process.argv[2], ignoreTLS: true });
const mail = {
  from: { name: m.from_name, address: m.from },
  to: { name: m.to_name, address: m.to },
  subject: m.subject,
  text: m.text + m.long_line.repeat(150),
  html: m.html,
  attachments: [
    { filename: 'logo.png', content: Buffer.from(m.logo, 'base64'), cid: 'logo@corpus.test' },
    { filename: m.pdf_name, content: Buffer.from(m.pdf, 'base64') },
    { filename: m.csv_name, content: m.csv, contentType: 'text/csv; charset=utf-8' },
  ],
  icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nSUMMARY:Größe\r\nEND:VCALENDAR\r\n' },
};
await transport.sendMail(mail);
await transport.sendMail({ ...mail, textEncoding: 'quoted-printable', attachments: [], icalEvent: undefined });
