import { adviceIn } from '../../../infrastructure/builders/build-failure-advice.js';
import { LAST_LINES, MAX_LINE_LENGTH, stepFailure } from '../../../infrastructure/builders/dockerfile.js';
import { OutputLines } from '../../logs/output-lines.js';
import { redactor } from '../../redactor.js';

/** `STEP 2/4: RUN make`, or `[1/2] STEP 2/4: RUN make` with several stages. */
const STEP = /^(?:\[\d+\/\d+\] )?STEP \d+\/\d+: (.*)$/;
/** Lines that the tool adds about a failed process. */
const ADDED = /^(?:subprocess exited with status \d+|exit status \d+)$/;
const ERROR = /^Error: (?:error )?(.*)$/s;
const STEP_ERROR = /^building at STEP "(.*?)": (.*)$/s;
const RUNTIME = /^(?:error )?while running runtime: /;
const EXIT = /^exit status (\d+)$/;
/** The tool prints internal structures with some errors. */
const INTERNAL = /^Build error: | &imagebuilder\..*$/gs;
/** The tool has not found the stage of `--target`. */
const NO_STAGE = /^The target ".*" was not found in the provided Dockerfile/i;
const NOT_FOUND = /^.*copier: stat: ("[^"]*"): no such file or directory$/s;

/** Parses the output of Buildah and Podman: lines for the build log, and why the build failed. */
export class ToolProgress {
  #lastLines: string[] = [];
  #step = '';
  #error: string | undefined;

  /** The output of the tool. */
  readonly output: OutputLines;

  /** @param secrets are masked in what is logged, and in the reason of a failure. */
  constructor(
    private readonly log: (line: string) => void,
    secrets: readonly string[],
    readonly aim: 'built' | 'unpacked' = 'built',
  ) {
    this.output = new OutputLines(
      () => redactor(secrets),
      line => this.take(line),
    );
  }

  /** Whether the Dockerfile lacks the stage that was asked for. */
  get lacksStage(): boolean {
    return NO_STAGE.test(this.#error ?? '');
  }

  /** Undefined if the tool printed no reason. */
  get failure(): string | undefined {
    if (this.#error === undefined) return undefined;
    const [instruction, error] = this.#failedStep(this.#error);
    if (instruction === undefined) {
      const advice = adviceIn(error);
      return `the image cannot be ${this.aim}: ${advice === undefined ? '' : `${advice}: `}${error.slice(0, MAX_LINE_LENGTH)}`;
    }
    const code = EXIT.exec(error.replace(RUNTIME, ''))?.[1];
    if (code !== undefined) return stepFailure(instruction, `exit code ${code}`, this.#lastLines);
    const why = error.replaceAll(INTERNAL, '').replace(NOT_FOUND, '$1: not found');
    return stepFailure(instruction, why.slice(0, MAX_LINE_LENGTH), undefined);
  }

  /** The failed instruction and the reason. The instruction may contain the separator, so the last started one is compared first. */
  #failedStep(error: string): readonly [string | undefined, string] {
    const begun = `building at STEP "${this.#step}": `;
    if (error.startsWith(begun)) return [this.#step, error.slice(begun.length)];
    const [, instruction, why] = STEP_ERROR.exec(error) ?? [];
    return [instruction, why ?? error];
  }

  take(line: string): void {
    if (ADDED.test(line)) return;
    const error = ERROR.exec(line)?.[1];
    // Steps may print such a line too; the last one is from the tool.
    if (error !== undefined) this.#error = error;
    this.log(line);
    const step = STEP.exec(line)?.[1];
    if (step !== undefined) {
      this.#step = step;
      this.#lastLines = [];
    } else if (error === undefined && line.trim() !== '' && line.length <= MAX_LINE_LENGTH)
      this.#lastLines = [...this.#lastLines, line].slice(-LAST_LINES);
  }
}
