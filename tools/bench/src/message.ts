import { SENDING_DOMAIN } from './postern.js';

const PARAGRAPHS = [
  'Thank you for your order. We have received your payment and are packing your parcel right now; it leaves our warehouse in Lübeck tomorrow morning.',
  'If anything is not as you expected, answer this message within fourteen days and we will find a solution. Nobody at our shop ever asks for your password or for the number of your card.',
  'Your receipt is kept in your account for ten years, where you can also change the address, the way of delivery, and what we may write to you about.',
];
const ROWS = [
  ['Field notebook, lined, A6', '2', '11.80 €'],
  ['Mechanical pencil 0.7 mm', '1', '24.50 €'],
  ['Refills, box of twelve', '3', '8.97 €'],
];
const TARGET_BYTES = 2_048;

const html = (): string => {
  const rows = ROWS.map(cells => `<tr>${cells.map(cell => `<td style="padding:4px 12px">${cell}</td>`).join('')}</tr>`);
  const start = `<!doctype html><html><head><meta charset="utf-8"><title>Your receipt</title></head><body style="font-family:sans-serif"><h1>Your receipt</h1>`;
  const middle = `<p>${PARAGRAPHS.join('</p><p>')}</p><table>${rows.join('')}</table><p><a href="https://shop.example.com/orders/4711?from=mail&amp;lang=en">See your order</a></p>`;
  const end = '</body></html>';
  const filler = 'We wish you a good day and many good notes. ';
  const missing = TARGET_BYTES - Buffer.byteLength(`${start}${middle}<p></p>${end}`);
  return `${start}${middle}<p>${filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing)}</p>${end}`;
};

/** The request body of all load tests: 2 KiB of HTML, one recipient, `{n}` for the number of the request. */
export const emailBody = JSON.stringify({
  from: `Shop <orders@${SENDING_DOMAIN}>`,
  to: ['customer-{n}@customers.test'],
  subject: 'Your receipt for order 4711',
  message: html(),
});
