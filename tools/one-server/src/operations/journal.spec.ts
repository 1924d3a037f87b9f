import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { interrupted, OperationUndone, runSteps } from './journal.js';

let folder: string;
let journal: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-journal-'));
  journal = join(folder, 'operation.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const silent = () => undefined;

describe('An operation', () => {
  it('that ended at a step continues with this step, and repeats none before it', async () => {
    const ran: string[] = [];
    let fails = true;
    const steps = ['one', 'two', 'three'].map(name => ({
      name,
      title: name,
      run: () => {
        if (name === 'two' && fails) throw new Error('the disk is full');
        ran.push(name);
      },
    }));
    await expect(runSteps('install', { force: true }, steps, silent, journal)).rejects.toThrow('the disk is full');
    expect(interrupted(journal)).toMatchObject({ operation: 'install', args: { force: true }, done: ['one'] });
    fails = false;
    await runSteps('install', {}, steps, silent, journal);
    expect(ran).toEqual(['one', 'two', 'three']);
    expect(interrupted(journal)).toBeUndefined();
  });

  it('that was undone has nothing to continue', async () => {
    const step = { name: 'a', title: 'a', run: () => Promise.reject(new OperationUndone('returned')) };
    await expect(runSteps('upgrade', {}, [step], silent, journal)).rejects.toThrow('returned');
    expect(interrupted(journal)).toBeUndefined();
  });

  it('does not begin while another one is interrupted', async () => {
    const failing = { name: 'a', title: 'a', run: () => Promise.reject(new Error('killed')) };
    await expect(runSteps('restore', {}, [failing], silent, journal)).rejects.toThrow('killed');
    await expect(runSteps('upgrade', {}, [], silent, journal)).rejects.toThrow(
      '"postern restore" was interrupted. Run "postern resume" first.',
    );
  });
});
