import { describe, expect, it } from '@jest/globals';
import { redactLine } from './redact.js';

describe('A log line', () => {
  it.each([
    ['keeps the domain of an address only', '"to":"Ada <ada.l@x.example>"', '"to":"Ada <…@x.example>"'],
    ['hides local parts in any script', '{"to":"адам@пример.рф"}', '{"to":"…@пример.рф"}'],
    ['hides passwords in URLs', 'postgres://u:p%40ss@db:5432/x', 'postgres://u:…@db:5432/x'],
    ['hides what follows the prefix of a key', 'key em_live_AbC123 and whsec_Zm9v=', 'key em_live_… and whsec_…'],
    [
      'leaves stack traces alone',
      'at /app/node_modules/@nestjs/core/x.js:1:2',
      'at /app/node_modules/@nestjs/core/x.js:1:2',
    ],
  ])('%s', (_title, line, expected) => {
    expect(redactLine(line)).toBe(expected);
  });
});
