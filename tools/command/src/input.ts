import { createInterface } from 'node:readline';
import { UsageError } from './errors.js';

/** Reads lines of standard input, for values that must not be arguments of a command. */
export class Input {
  #lines: AsyncIterator<string> | undefined;

  get isTerminal(): boolean {
    return process.stdin.isTTY === true;
  }

  /** Prompts for a line. @throws UsageError if standard input has none. */
  async line(question: string): Promise<string> {
    const answer = this.isTerminal ? await this.#prompt(question, false) : await this.#next();
    if (answer === undefined || answer.trim() === '') throw new UsageError(`${question}: nothing was entered.`);
    return answer.trim();
  }

  /** Prompts for a line without echo. */
  async secret(question: string): Promise<string> {
    const answer = this.isTerminal ? await this.#prompt(question, true) : await this.#next();
    if (answer === undefined || answer === '') throw new UsageError(`${question}: nothing was entered.`);
    return answer;
  }

  /** All of standard input. */
  async all(): Promise<string> {
    let text = '';
    process.stdin.setEncoding('utf8');
    for await (const chunk of process.stdin) text += chunk as string;
    return text;
  }

  /** Stops reading, so that the process can end. */
  close(): void {
    process.stdin.destroy();
  }

  #prompt(question: string, hidden: boolean): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      process.stderr.write(`${question}: `);
      const reader = createInterface({
        input: process.stdin,
        ...(hidden ? {} : { output: process.stderr }),
        terminal: true,
      });
      reader.once('SIGINT', () => {
        reader.close();
        reject(new UsageError('Cancelled.'));
      });
      reader.once('line', line => {
        if (hidden) process.stderr.write('\n');
        resolve(line);
        reader.close();
      });
      reader.once('close', () => resolve(undefined));
    });
  }

  async #next(): Promise<string | undefined> {
    this.#lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const { value, done } = await this.#lines.next();
    return done ? undefined : (value as string);
  }
}
