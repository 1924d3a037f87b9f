import { table } from './table.js';

/** The output of a command: text, or JSON with `--json`. Progress messages go to standard error. */
export class Output {
  constructor(readonly json: boolean) {}

  /** Prints the result of a command: `value` with `--json`, otherwise `text`. */
  result(value: unknown, text: string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value, null, 2) : printable(text)}\n`);
  }

  /** Prints rows under a header, or `empty` if there are none. */
  rows(value: unknown, head: readonly string[], rows: readonly (readonly (string | number)[])[], empty: string): void {
    this.result(
      value,
      rows.length === 0
        ? empty
        : table(
            head,
            rows.map(row => row.map(printable)),
          ),
    );
  }

  /** Prints one line of a continuous output; with `--json`, one object per line. */
  line(value: unknown, text: string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value) : printable(text)}\n`);
  }

  /** Prints a message for the user; never part of the result. */
  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }
}

/** Removes control characters of external text, which could change the display of the terminal. */
export const printable = (text: string | number): string =>
  String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/g, '');
