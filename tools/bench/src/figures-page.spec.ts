import { describe, expect, it } from '@jest/globals';
import { withFigures } from './figures-page.js';

const run = { at: '2026-11-27T10:00:00.000Z', commit: 'abc1234', machine: 'a machine' };

describe('the page of figures', () => {
  it('gets a block for a part that was not published before', () => {
    const page = withFigures('# Figures\n', 'email', '1,000/s\n', run);
    expect(page).toContain('# Figures\n');
    expect(page).toContain('Measured on 2026-11-27 at commit abc1234 on a machine');
    expect(page).toContain('1,000/s');
  });

  it('replaces the block of the same part and nothing else', () => {
    const before = withFigures(withFigures('# Figures\n', 'email', 'old', run), 'webhooks', 'kept', run);
    const after = withFigures(before, 'email', 'new', { ...run, commit: 'def5678' });
    expect(after).not.toContain('old');
    expect(after).toContain('commit def5678');
    expect(after).toContain('kept');
    expect(after.match(/bench email: begin/g)).toHaveLength(1);
  });
});
