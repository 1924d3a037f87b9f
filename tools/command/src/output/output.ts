import { table } from './table.js';

/** Where a command writes: text for people, or JSON with `--json`. Messages about progress go to standard error. */
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

  /** Prints one line of an endless output; with `--json` one object a line. */
  line(value: unknown, text: string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value) : printable(text)}\n`);
  }

  /** Tells people what happens; never part of the result. */
  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }
}

/** Text from elsewhere without control characters, which could change what the terminal shows. */
export const printable = (text: string | number): string =>
  String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
