import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importCycle, violationsIn } from './laws.js';
import { readSourceTree, sourceFile } from './source-tree.js';

const tree = readSourceTree(join(import.meta.dirname, '../../..'), ['apps', 'libs', 'tools', 'e2e']);

describe('the house', () => {
  it('keeps every law', () => expect(violationsIn(tree)).toEqual([]));

  it('has no import cycle', () => expect(importCycle(tree)).toBeUndefined());
});

describe('a planted violation is caught:', () => {
  it.each(Object.entries(PLANTED()))('%s', (law, [path, text]) =>
    expect(violationsIn([sourceFile(path, text)])).toEqual([expect.stringContaining(`but ${law}`)]),
  );

  it('an import cycle', () =>
    expect(
      importCycle([
        sourceFile('libs/mail/src/a.ts', "import { b } from './b.js';"),
        sourceFile('libs/mail/src/b.ts', "export { a } from './a.js';"),
      ]),
    ).toEqual(['libs/mail/src/a', 'libs/mail/src/b', 'libs/mail/src/a']));
});

function PLANTED(): Record<string, readonly [path: string, text: string]> {
  return {
    'contracts know zod and nothing else': ['libs/contracts/src/x.ts', "import pg from 'pg';"],
    'event-sourcing knows neither Nest nor a service, and pg only in postgres/': [
      'libs/event-sourcing/src/x.ts',
      "import { Pool } from 'pg';",
    ],
    'libraries never import apps': ['libs/mail/src/x.ts', "import { x } from '../../../apps/email-send/src/ports.js';"],
    'a domain knows contracts, the vocabulary of event sourcing and mail, and itself': [
      'apps/email-send/src/domain/x.ts',
      "import { MailRelay } from '../ports.js';",
    ],
    'a domain knows no clock, chance or environment': ['apps/email-send/src/domain/x.ts', 'const now = Date.now();'],
    'commands and reactions know ports, never adapters, projections or technology': [
      'apps/email-send/src/commands/x.ts',
      "import { Relay } from '../adapters/smtp/relay.js';",
    ],
    'a command writes through one port, so that all it changes is one transaction': [
      'apps/webhook-dispatch/src/commands/x.ts',
      `class X {
         constructor(private readonly streams: Streams, private readonly keys: KeyRows, readonly rows: WebhookDirectory) {}
         async execute() {
           await this.streams.execute(webhook, 'webhook-1', await this.rows.find('1'));
           await this.keys.store('1');
         }
       }`,
    ],
    'projections decide nothing': [
      'apps/email-send/src/projections/x.ts',
      "import { send } from '../commands/send-email.js';",
    ],
    'an adapter never imports another adapter': [
      'apps/email-send/src/adapters/nats/x.ts',
      "import { Relay } from '../smtp/relay.js';",
    ],
    'apps never import apps': ['apps/email-send/src/x.ts', "import { x } from '../../delivery-tracking/src/ports.js';"],
    'no forwardRef, no global modules': ['apps/email-send/src/x.ts', 'const x = forwardRef(() => Y);'],
    'index.ts is only the front door of a library or tool': ['apps/email-send/src/commands/index.ts', 'export {};'],
    'files have full kebab-case names that say what they hold': ['apps/email-send/src/utils.ts', 'export {};'],
    'a constructor takes five dependencies at most': [
      'apps/email-send/src/x.ts',
      'class X { constructor(a: A, b: B, c: Map<A, B>, d: D, e: E, f: F) {} }',
    ],
  };
}
