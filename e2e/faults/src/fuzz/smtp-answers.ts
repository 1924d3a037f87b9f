import { shortened } from './target.js';

const REPLY = /^[2-5]\d\d[ -]/;

/** Every line that an SMTP server sends must be a reply, for any input. */
export const smtpProblemOf = (sent: readonly string[], answer: string): string | undefined => {
  const odd = answer.split('\r\n').find(line => line !== '' && !REPLY.test(line));
  return odd === undefined ? undefined : `the line ${shortened(odd)} for ${shortened(sent.join(''))}`;
};
