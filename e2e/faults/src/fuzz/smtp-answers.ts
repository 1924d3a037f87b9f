import { shortened } from './target.js';

const REPLY = /^[2-5]\d\d[ -]/;

/** Every line of an SMTP server is a reply, whatever it was sent. */
export const smtpProblemOf = (sent: readonly string[], answer: string): string | undefined => {
  const odd = answer.split('\r\n').find(line => line !== '' && !REPLY.test(line));
  return odd === undefined ? undefined : `the line ${shortened(odd)} for ${shortened(sent.join(''))}`;
};
