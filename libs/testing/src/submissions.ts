import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../submissions/messages/', import.meta.url);

/** A message as a mail program has submitted it: the bytes of DATA. */
export interface RecordedSubmission {
  /** The program and a number. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** The recorded submissions of mail programs; `submissions/README.md` says how they were made. */
export const recordedSubmissions = (): readonly RecordedSubmission[] =>
  readdirSync(FOLDER)
    .filter(file => file.endsWith('.eml'))
    .sort()
    .map(file => ({ name: file.slice(0, -'.eml'.length), bytes: readFileSync(new URL(file, FOLDER)) }));
