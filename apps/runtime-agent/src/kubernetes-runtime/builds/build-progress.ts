import type { LogWriter } from '@postern/runtime';

const FAILED = /^postern-build-failed: (.*)$/;

interface Progress {
  readonly vertexes?: readonly { readonly name?: string; readonly error?: string }[];
  readonly logs?: readonly { readonly data?: string }[];
}

/** Reads what `buildctl --progress=rawjson` says: the output of the build for its log, and why it failed. */
export class BuildProgress {
  #rest = '';
  #output = '';
  #words: string | undefined;
  #error: string | undefined;

  constructor(private readonly writer: LogWriter) {}

  /** In the build's own words where it has some. */
  get failure(): string | undefined {
    return this.#words ?? this.#error;
  }

  push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  end(): void {
    if (this.#rest !== '') this.#take(this.#rest);
    if (this.#output !== '') this.#say(this.#output);
    this.#rest = '';
    this.#output = '';
  }

  #take(line: string): void {
    const progress = parsed(line);
    if (!progress) {
      if (line.trim() !== '') this.#say(line);
      return;
    }
    for (const { error } of progress.vertexes ?? []) if (error) this.#error = error.slice(0, 500);
    const text = (progress.logs ?? []).map(({ data = '' }) => Buffer.from(data, 'base64').toString('utf8')).join('');
    const lines = (this.#output + text).split('\n');
    this.#output = lines.pop() ?? '';
    for (const said of lines) this.#say(said);
  }

  #say(line: string): void {
    const words = FAILED.exec(line)?.[1];
    if (words === undefined) this.writer.write('build', `${line}\n`);
    else this.#words = words;
  }
}

const parsed = (line: string): Progress | undefined => {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Progress;
  } catch {
    return undefined;
  }
};
