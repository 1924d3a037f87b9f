import { describe, expect, it } from '@jest/globals';
import { table } from './table.js';
import { terminalText } from './terminal-text.js';

describe('The output of the command', () => {
  it('contains no control sequences for the terminal of the operator', () => {
    const hostile = '550 \u001b]52;c;cm0gLXJm\u0007no such user\u001b[2J\u009b31m\b\rall is well';
    expect(terminalText(`  ${hostile}\n\tnext\r\n`)).toBe(
      '  550 ]52;c;cm0gLXJmno such user[2J31mall is well\n\tnext\r\n',
    );
  });

  it('has one line per row, independent of the content of a cell', () => {
    expect(table(['NAME', 'STATUS'], [['a\nb  bad\r\n', 'good']])).toBe('NAME     STATUS\na b bad  good');
  });
});
