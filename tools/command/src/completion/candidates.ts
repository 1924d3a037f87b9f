import type { Command } from 'commander';

/** The completions of a command line; its last word is still being typed. */
export const candidates = (program: Command, words: readonly string[]): readonly string[] => {
  const current = words.at(-1) ?? '';
  let command = program;
  for (const word of words.slice(0, -1)) command = command.commands.find(child => child.name() === word) ?? command;
  const names = current.startsWith('-') ? optionsOf(command) : command.commands.map(child => child.name());
  return names.filter(name => name.startsWith(current) && !name.startsWith('_')).sort();
};

const optionsOf = (command: Command): readonly string[] => [
  ...command.options.flatMap(({ long }) => (long ? [long] : [])),
  '--help',
];
