import { beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, waitFor } from '@postern/testing';
import { ownPlatform } from '../stories.js';
import { withGates } from './gate.js';
import { killUntilRestarted } from './kill-and-restart.js';
import { backingUp, rotating } from './killed-databases.js';
import {
  deleting,
  editing,
  type KilledOperation,
  releasing,
  runningOnce,
  scaling,
  verifyingDomain,
} from './killed-operations.js';

const sharedPort = await freePort();
const platform = await ownPlatform(
  await withGates({
    'platform-management': { POSTERN_PLATFORM_RECONCILE_MS: '1000' },
    'load-balancer': { POSTERN_PLATFORM_BALANCER_PORT: String(sharedPort) },
  }),
);

const kill = (name: string) => killUntilRestarted(platform, name);

describe.each(['platform-management', 'runtime-agent', 'load-balancer'])(
  'when %s is killed, twice, during every operation around web services',
  victim => {
    const operations: Readonly<Record<string, KilledOperation>> = {
      'a changed setting is stored, and applied by a restart': editing(platform),
      'scaling ends with the number of instances that was requested': scaling(platform),
      'a deletion leaves neither processes nor files nor an address': deleting(platform),
      'a release command runs once, or its deployment reports that it was interrupted': releasing(platform),
      'a one-off command runs once, or reports that it was interrupted': runningOnce(platform),
      'a verified domain is routed': verifyingDomain(platform, `${victim}.example.com`, sharedPort),
      'a new password of a database works, and the old one does not': rotating(platform),
      'a backup is completed, and so is its restore during another kill': backingUp(platform, () => kill(victim)),
    };

    beforeAll(async () => {
      const all = Object.values(operations);
      await Promise.all(all.map(each => each.begin()));
      await Promise.all([...all.map(each => each.meanwhile?.()), kill(victim)]);
      await kill(victim);
      for (const each of all) each.release?.();
      await waitFor(async () => (await platform.reader.get('/projects')).status === 200, {
        timeoutMs: 40_000,
        intervalMs: 100,
        describe: 'the platform API to answer',
      });
    }, 240_000);

    it.each(Object.keys(operations))(
      '%s',
      async name => {
        expect.hasAssertions();
        await operations[name]?.verify();
      },
      150_000,
    );
  },
);
