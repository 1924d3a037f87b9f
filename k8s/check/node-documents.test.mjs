import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blocksOf, commandsOf, DocumentBlocks, substituted } from './node/documents/document-blocks.mjs';
import { MANUAL, NOT_RUN, OPERATIONS } from './node/documents/steps.mjs';

describe('The documents that the check on a node runs', () => {
  for (const { path, part, blocks } of [MANUAL, OPERATIONS])
    it(`${path}: every block of commands is run, or is listed as not run`, () => {
      const document = new DocumentBlocks(path, part);
      for (const text of Object.values(blocks)) document.take(text);
      const missed = document.left.filter(block => !Object.keys(NOT_RUN).some(text => block.includes(text)));
      assert.deepEqual(missed, []);
    });

  it('have blocks and commands within sentences, in their order', () => {
    const text =
      'Run `helm rollback a`, or `helm lint`.\n\n```sh\nkubectl get \\\n  pods\nls |\n  wc\n```\n\n```text\nno\n```\n';
    const blocks = blocksOf(text);
    assert.deepEqual(blocks, ['helm rollback a', 'kubectl get \\\n  pods\nls |\n  wc']);
    assert.deepEqual(commandsOf(blocks[1]), ['kubectl get \\\n  pods', 'ls |\n  wc']);
  });

  it('are changed only by the replacements in the table', () => {
    assert.equal(substituted('a=… b=1.4.0', [['…', 'secret']]), 'a=secret b=1.4.0');
  });
});
