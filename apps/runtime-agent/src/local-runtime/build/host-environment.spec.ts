import { delimiter } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { programPath } from './host-environment.js';

describe('The search path of builds', () => {
  it('finds a Go that is installed beside the distribution before that of the distribution', () => {
    const folders = programPath({ PATH: '/usr/bin' }).split(delimiter);
    expect(folders).toContain('/usr/bin');
    expect(folders.indexOf('/usr/local/go/bin')).toBeLessThan(folders.lastIndexOf('/usr/bin'));
  });
});
