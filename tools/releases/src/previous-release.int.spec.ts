import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ScratchCheckout } from './testing/scratch-checkout.js';

const SERVICE = 'webhook-dispatch';
const SPECS = ['webhooks/webhooks.int', 'sql-statements'];

jest.setTimeout(600_000);
let checkout: ScratchCheckout;
let released: string;

beforeAll(async () => {
  checkout = await ScratchCheckout.make();
  released = checkout.git('rev-parse', 'HEAD');
});
afterAll(() => checkout?.remove());
beforeEach(() => {
  checkout.git('reset', '--quiet', '--hard', released);
  checkout.git('clean', '--quiet', '--force', '-d', 'prisma');
});

const migrate = (name: string, script: string) =>
  checkout.write(`prisma/${SERVICE}/migrations/${name}/migration.sql`, `${script}\n`);
const test = () => checkout.node('tools/releases/previous-release.mjs', SERVICE, ...SPECS);

it('Before the first release, there is nothing to test', async () => {
  migrate('0099_note', 'ALTER TABLE webhooks ADD COLUMN note text;');
  const { code, output } = await test();
  expect(output).toContain('webhook-dispatch has no earlier release');
  expect(code).toBe(0);
});

describe('The specs of the newest release run on the schema of the checkout:', () => {
  beforeAll(() => {
    checkout.git('tag', `${SERVICE}@0.2.0`, released);
  });

  it('they are not run without a new migration', async () => {
    const { code, output } = await test();
    expect(output).toContain('webhook-dispatch@0.2.0 has every migration');
    expect(code).toBe(0);
  });

  it('an additive migration passes, whatever has become of the code since', async () => {
    migrate('0099_note', 'ALTER TABLE webhooks ADD COLUMN note text;');
    checkout.write(`apps/${SERVICE}/src/webhooks/webhook.ts`, 'export const wrong: number = "text";\n');
    const { code, output } = await test();
    expect(output).toContain('webhook-dispatch@0.2.0 works on the schema with 0099_note');
    expect(output).toMatch(/Tests:\s+\d+ passed/);
    expect(code).toBe(0);
  });

  it('a migration that removes what the release uses is refused, with the spec that fails', async () => {
    migrate('0099_no_reason', 'ALTER TABLE webhooks DROP COLUMN disabled_reason;');
    const { code, output } = await test();
    expect(output).toMatch(/FAIL .*webhooks\.int\.spec\.ts/);
    expect(output).toContain('webhook-dispatch@0.2.0 does not work on the schema with 0099_no_reason');
    expect(code).toBe(1);
    expect(checkout.worktrees()).toEqual([]);
  });
});
