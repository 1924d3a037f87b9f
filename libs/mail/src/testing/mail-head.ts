/** The header of a mail to a return path, with these fields. */
export const head = (fields: string): string =>
  `Received: from mx.example.net by bounces.test; Sun, 1 Mar 2026 12:00:00 +0000\nTo: b@bounces.test\n${fields}\n`;
