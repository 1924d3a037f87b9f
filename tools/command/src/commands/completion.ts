import { Argument, Command } from 'commander';
import { command } from '../command-line.js';
import { candidates } from '../completion/candidates.js';
import { COMPLETION_SCRIPTS, type Shell } from '../completion/scripts.js';

/** `postern completion`: prints a script for shell completion of commands and options. */
export const completion = (): Command =>
  command('completion', 'Print a completion script for bash, zsh or fish', [
    'source <(postern completion bash)            # in ~/.bashrc',
    'source <(postern completion zsh)             # in ~/.zshrc, after compinit',
    'postern completion fish > ~/.config/fish/completions/postern.fish',
  ])
    .addArgument(new Argument('<shell>').choices(Object.keys(COMPLETION_SCRIPTS)))
    .action((shell: Shell) => {
      process.stdout.write(COMPLETION_SCRIPTS[shell]);
    });

/** The hidden command that completion scripts call. */
export const complete = (program: () => Command): Command =>
  new Command('__complete').argument('[words...]').action((words: readonly string[]) => {
    process.stdout.write(
      candidates(program(), words)
        .map(word => `${word}\n`)
        .join(''),
    );
  });
