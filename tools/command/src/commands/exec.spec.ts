import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commandLine } from './exec.js';

/** The arguments that a program gets when a shell runs the text. */
const argumentsOf = (text: string): readonly string[] =>
  execFileSync('/bin/sh', ['-c', `show() { printf '%s\\0' "$@"; }; show ${text}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('the command of postern exec', () => {
  it('is a text for a shell if it is one argument', () =>
    expect(commandLine(['npm run seed && echo "$DONE"'])).toBe('npm run seed && echo "$DONE"'));

  it('may follow --', () => {
    expect(commandLine(['--', 'npm', 'run', 'seed', '--', '--all'])).toBe('npm run seed -- --all');
    expect(commandLine(['--', 'npm run seed | wc -l'])).toBe('npm run seed | wc -l');
    expect(() => commandLine(['--'])).toThrow('Name the command');
  });

  it('stays readable', () => expect(commandLine(['node', 'migrate.js', '--to=3'])).toBe('node migrate.js --to=3'));

  it('gives a program its arguments unchanged', () => {
    const word = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 5 }), words => {
        expect(argumentsOf(commandLine(words))).toEqual(words);
      }),
      { numRuns: 50 },
    );
  });
});
