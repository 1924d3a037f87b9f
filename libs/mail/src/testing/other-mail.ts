import { head } from './mail-head.js';

/** Mail to return paths that is not about a delivery. */
export const OTHER_MAIL: Readonly<Record<string, { readonly mail: string; readonly why: string }>> = {
  'a vacation note that mentions a bounce': {
    mail: `${head('Auto-Submitted: auto-replied\nFrom: Ada <ada@example.org>\nSubject: Out of office\n')}
I am away. Mail to bob@example.org is returned with 550 5.1.1 user unknown; it could not be delivered.
`,
    why: 'auto_reply',
  },
  'an answer without the header': {
    mail: `${head('From: Ada <ada@example.org>\nSubject: Re: Your receipt\n')}\nI'm on vacation until Monday.\n`,
    why: 'auto_reply',
  },
  'a question of a person': {
    mail: `${head('From: Ada <ada@example.org>\nSubject: Your receipt\n')}\nWhich account did you send it to?\n`,
    why: 'no_report',
  },
};
