import { Command } from 'commander';
import { Context } from './configuration/context.js';
import { Input } from './input.js';
import { Output } from './output/output.js';

/** The dependencies of a command's action. */
export interface Invocation {
  readonly context: Context;
  readonly output: Output;
  readonly input: Input;
}

/** A command with `--json` and with examples in its help. */
export const command = (name: string, summary: string, examples: readonly string[]): Command =>
  withExamples(new Command(name).description(summary).option('--json', 'print JSON'), examples);

/** Adds examples to the help of a command. */
export const withExamples = (command: Command, examples: readonly string[]): Command =>
  command
    .showHelpAfterError('Run the command with --help for its options and examples.')
    .addHelpText('after', `\nExamples:\n${examples.map(example => `  $ ${example}`).join('\n')}`);

/** A group of commands, such as `postern env`. */
export const group = (name: string, summary: string, commands: readonly Command[]): Command => {
  const parent = new Command(name).description(summary);
  for (const child of commands) parent.addCommand(child);
  return parent;
};

/** The context, input and output of one invocation. */
export const invocation = (options: { readonly json?: boolean }): Invocation => ({
  context: new Context(process.env),
  output: new Output(options.json === true),
  input: new Input(),
});

/** Collects the values of a repeatable option. */
export const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
