import { StringDecoder } from 'node:string_decoder';
import type { LogWriter } from '@postern/runtime';
import {
  DOCKERFILE_BUILDS,
  LAST_LINES,
  MAX_LINE_LENGTH,
  stepFailure,
} from '../../infrastructure/builders/dockerfile.js';

const FAILED = /^postern-build-failed: (.*)$/;
/** Output of buildctl for errors that no step caused. */
const UNSOLVED = /^error: (?:failed to solve: )?(.*)$/;
/** Step names of a Dockerfile in BuildKit: `[2/4] RUN make`, or `[stage 2/4] RUN make`. */
const STEP = /^\[(?:\S+ )?\d+\/\d+\] (.*)$/s;
const EXIT = /did not complete successfully: (?:exit code: (\d+))?/;
/** Error of steps that ran concurrently with the failed one. */
const CANCELED = /context canceled/;
/** Refers to BuildKit's own storage. */
const CHECKSUM = /^failed to compute cache key: |failed to calculate checksum of ref \S+: /g;

/** A step may write endless output without line breaks. */
const MAX_UNFINISHED = 65_536;

interface Vertex {
  readonly digest?: string;
  readonly name?: string;
  readonly started?: string;
  readonly error?: string;
}

interface StepOutput {
  readonly vertex?: string;
  /** The file descriptor: 1 or 2. */
  readonly stream?: number;
  readonly data?: string;
}

/** What a step has written to one of its streams since its last line. */
interface OpenLine {
  readonly step: string;
  readonly decoder: StringDecoder;
  text: string;
}

interface Progress {
  readonly vertexes?: readonly Vertex[];
  readonly logs?: readonly StepOutput[];
}

/** Parses the output of `buildctl --progress=rawjson`: the build output for the log, and the reason of a failure. */
export class BuildProgress {
  #rest = '';
  /** By step and stream: steps of several stages run concurrently, and a step writes to both of its streams. */
  readonly #open = new Map<string, OpenLine>();
  readonly #lastLines = new Map<string, string[]>();
  readonly #begun = new Set<string>();
  #isByDockerfile = false;
  #reason: string | undefined;
  #error: string | undefined;
  #failed: Vertex | undefined;
  #unsolved: string | undefined;

  constructor(private readonly writer: LogWriter) {}

  /** The reason of the failure; the build's own message if it has printed one. */
  get failure(): string | undefined {
    if (!this.#isByDockerfile) return this.#reason ?? this.#error;
    if (this.#failed) return this.#stepError(this.#failed);
    const error = this.#error ?? this.#unsolved;
    return error === undefined ? undefined : `the image cannot be built: ${error}`;
  }

  push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
  }

  end(): void {
    if (this.#rest !== '') this.#take(this.#rest);
    for (const { text, step } of this.#open.values()) if (text !== '') this.#writeLine(text, step);
    this.#rest = '';
    this.#open.clear();
  }

  #take(line: string): void {
    const progress = parsed(line);
    if (!progress) {
      if (line === DOCKERFILE_BUILDS) this.#isByDockerfile = true;
      this.#unsolved ??= UNSOLVED.exec(line)?.[1]?.slice(0, 500);
      if (line.trim() !== '') this.#writeLine(line, '');
      return;
    }
    for (const vertex of progress.vertexes ?? []) this.#readVertex(vertex);
    for (const output of progress.logs ?? []) this.#takeOutput(output);
  }

  /** A character, and with it a secret, can be in two messages. */
  #takeOutput({ vertex: step = '', stream = 1, data = '' }: StepOutput): void {
    const key = `${stream} ${step}`;
    const open = this.#open.get(key) ?? { step, decoder: new StringDecoder('utf8'), text: '' };
    this.#open.set(key, open);
    const lines = (open.text + open.decoder.write(Buffer.from(data, 'base64'))).split('\n');
    open.text = lines.pop() ?? '';
    for (const line of lines) this.#writeLine(line, step);
    if (open.text.length <= MAX_UNFINISHED) return;
    this.writer.write('build', open.text);
    open.text = '';
  }

  #readVertex(vertex: Vertex): void {
    const { digest = '', name = '', started, error } = vertex;
    const isStep = this.#isByDockerfile && STEP.test(name);
    if (isStep && started && !this.#begun.has(digest)) {
      this.#begun.add(digest);
      this.writer.write('build', `${name}\n`);
    }
    if (!error) return;
    if (isStep && !CANCELED.test(error)) this.#failed ??= vertex;
    if (!this.#isByDockerfile || !CANCELED.test(error)) this.#error = error.slice(0, 500);
  }

  #writeLine(line: string, step: string): void {
    const reason = this.#isByDockerfile ? undefined : FAILED.exec(line)?.[1];
    if (reason !== undefined) {
      this.#reason = reason;
      return;
    }
    this.writer.write('build', `${line}\n`);
    if (line.trim() === '' || line.length > MAX_LINE_LENGTH) return;
    this.#lastLines.set(step, [...(this.#lastLines.get(step) ?? []), line].slice(-LAST_LINES));
  }

  #stepError({ digest = '', name = '', error = '' }: Vertex): string {
    const code = EXIT.exec(error)?.[1];
    const why = code === undefined ? error.replaceAll(CHECKSUM, '').slice(0, 500) : `exit code ${code}`;
    return stepFailure(STEP.exec(name)?.[1] ?? name, why, this.#lastLines.get(digest));
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
