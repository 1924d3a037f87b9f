const COPY_ID = /(?<![0-9a-f-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:\.\d{1,5})?\.[a-z2-7]{24}(?![a-z2-7])/gi;
const MAX_COPY_IDS = 100;

/** Candidates for signed copy ids anywhere in a text, even if quoted-printable has broken their line; not verified. */
export function copyIdsIn(text: string): string[] {
  const found = [text, text.replace(/=\r?\n/g, '')].flatMap(spelling => [...spelling.matchAll(COPY_ID)]);
  return [...new Set(found.slice(0, MAX_COPY_IDS).map(([copyId]) => copyId.toLowerCase()))];
}
