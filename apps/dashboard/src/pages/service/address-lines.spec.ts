import { describe, expect, it } from '@jest/globals';
import { suppressionLines, suppressionsHead } from '@postern/contracts';
import { linesOf, portionsOf } from './address-lines.js';

describe('the addresses of a text', () => {
  it('are one per line, without empty lines', () =>
    expect(linesOf(' ada@x.test \r\n\nShop, the one <b@x.test>\n')).toEqual([
      'ada@x.test',
      'Shop, the one <b@x.test>',
    ]));

  it('may be an exported file, whose fields a spreadsheet does not evaluate', () => {
    const addresses = ['ada@x.test', '=cmd|calc@x.test', '"a, b"@x.test', '-x@x.test'];
    const at = '2026-03-09T12:00:00.000Z';
    const entries = addresses.map(address => ({ address, reason: 'added' as const, email_id: null, at }));
    const file = suppressionsHead() + suppressionLines(entries);

    expect(file).toMatch(/^'=cmd/m);
    expect(linesOf(file)).toEqual(addresses);
  });

  it('are sent in batches of a thousand', () => {
    const lines = Array.from({ length: 2_500 }, (_, n) => `a${n}@x.test`);
    expect(portionsOf(lines).map(portion => portion.length)).toEqual([1_000, 1_000, 500]);
    expect(portionsOf([])).toEqual([]);
  });
});
