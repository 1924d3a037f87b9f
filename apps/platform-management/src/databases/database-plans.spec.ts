import { describe, expect, it } from '@jest/globals';
import { DATABASE_PLANS } from '@postern/contracts/database-plans';
import { limitsOfPlan } from './database-plans.js';

describe('the plan of a database', () => {
  it('has higher limits in a larger plan', () => {
    const plans = Object.values(DATABASE_PLANS);
    for (const [n, plan] of plans.slice(1).entries())
      for (const [limit, value] of Object.entries(plan))
        expect(value).toBeGreaterThan(plans[n]?.[limit as keyof typeof plan] as number);
  });

  it('has these limits', () =>
    expect(limitsOfPlan('starter')).toEqual({
      cpuMillicores: 250,
      memoryBytes: 268_435_456,
      storageBytes: 1_073_741_824,
      connections: 20,
    }));

  it.each(['enormous', '', 'toString', '__proto__'])(
    'is refused with a list of the existing plans when it is %j',
    plan =>
      expect(() => limitsOfPlan(plan)).toThrow('plan: unknown plan; choose one of starter, basic, standard, large'),
  );
});
