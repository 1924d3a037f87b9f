import { rmSync } from 'node:fs';
import { readJson, writeJson } from '../machine/files.js';
import { PLACES } from '../rendering/places.js';

/** One step of an operation. It may run again after a kill at any moment, so it must be idempotent. */
export interface Step {
  readonly name: string;
  /** Shown before the step. */
  readonly title: string;
  run(): Promise<void> | void;
}

interface Journal {
  readonly operation: string;
  readonly args: Readonly<Record<string, string | boolean>>;
  readonly done: readonly string[];
  readonly startedAt: string;
}

/** An operation that failed and whose effects were undone, so that there is nothing to continue. */
export class OperationUndone extends Error {
  override readonly name = 'OperationUndone';
}

export const JOURNAL = `${PLACES.state}/operation.json`;

/** The operation that a kill has interrupted. */
export const interrupted = (file = JOURNAL): Journal | undefined => readJson<Journal>(file);

/**
 * Runs the steps that the journal does not have yet, and deletes the journal at the end.
 * @throws the error of a step; `postern resume` continues with it.
 */
export const runSteps = async (
  operation: string,
  args: Journal['args'],
  steps: readonly Step[],
  print: (line: string) => void,
  file = JOURNAL,
): Promise<void> => {
  const found = interrupted(file);
  if (found && found.operation !== operation)
    throw new Error(`"postern ${found.operation}" was interrupted. Run "postern resume" first.`);
  let journal: Journal = found ?? { operation, args, done: [], startedAt: new Date().toISOString() };
  writeJson(file, journal, 0o600);
  for (const [index, step] of steps.entries()) {
    if (journal.done.includes(step.name)) continue;
    print(`[${index + 1}/${steps.length}] ${step.title}`);
    try {
      await step.run();
    } catch (error) {
      if (error instanceof OperationUndone) rmSync(file, { force: true });
      throw error;
    }
    journal = { ...journal, done: [...journal.done, step.name] };
    writeJson(file, journal, 0o600);
  }
  rmSync(file, { force: true });
};
