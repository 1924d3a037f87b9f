import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import { emailService } from './email-service.js';
import type { EmailServiceEvent } from './email-service-state.js';
import { limitsOf } from './service-limits.js';

const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-04T00:20:00.000Z';
const given = specificationOf(emailService);

foldsEveryFixture(join(import.meta.dirname, 'fixtures'), emailService);

describe('an email service', () => {
  it('begins in the sandbox, enabled, with open tracking and nothing else switched on', () => {
    given().when(create).yields(created);
    expect(emailService.initial).toMatchObject({
      mode: 'sandbox',
      enabled: true,
      switches: { open_tracking: true, click_tracking: false, suppression: false },
    });
  });

  it('changes only values that differ', () =>
    given(created, disabled)
      .when({
        kind: 'change',
        changes: { name: 'App', enabled: false, open_tracking: false, suppression: true },
        at: AT,
      })
      .yields(turned('open_tracking', false), turned('suppression', true)));

  it('is enabled again after it was disabled', () =>
    given(created, disabled)
      .when({ kind: 'change', changes: { enabled: true }, at: AT })
      .yields({ type: 'email-send.email-service-enabled.v1', data: { service_id: 's1', at: AT } }));

  it('moves to production with its first verified domain, and only once', () => {
    given(created).when(domainVerified).yields(movedToProduction);
    given(created, movedToProduction).when(domainVerified).yields();
  });

  it('is deleted by its workspace only, and then refuses every command', () => {
    const remove = { kind: 'delete', workspaceId: 'w1', at: LATER } as const;
    const deleted = {
      type: 'email-send.email-service-deleted.v1',
      data: { service_id: 's1', workspace_id: 'w1', at: LATER },
    } as const;
    given(created).when(remove).yields(deleted);
    given(created)
      .when({ ...remove, workspaceId: 'another' })
      .refuses('service_not_found');
    given(created, deleted).when(remove).refuses('service_not_found');
    given(created, deleted).when(domainVerified).refuses('service_not_found');
    given(deleted).when(remove).refuses('service_not_found');
  });

  it('that does not exist refuses every command', () => {
    given().when(domainVerified).refuses('service_not_found');
    given().when({ kind: 'change', changes: {}, at: AT }).refuses('service_not_found');
  });
});

describe('the daily quota of a service', () => {
  it('doubles after a good day, with the reason', () =>
    given(created, movedToProduction)
      .when(closeDay('2026-03-02', { messages: 600 }))
      .yields(doubled));

  it('is adjusted once per day, however often the day is closed', () =>
    given(created, movedToProduction, doubled)
      .when(closeDay('2026-03-02', { messages: 2_000 }))
      .yields());

  it('is adjusted day by day when several days were missed', () =>
    given(created, movedToProduction, doubled)
      .when(closeDay('2026-03-03', { messages: 100, bounced: 6 }))
      .yields({
        type: 'email-send.daily-quota-changed.v1',
        data: {
          service_id: 's1',
          day: '2026-03-03',
          from: 2_000,
          to: 1_000,
          reason: '6 % of the messages bounced (more than 5 %)',
          messages: 100,
          bounced: 6,
          complained: 0,
          at: LATER,
        },
      }));

  it('does not change for days in the sandbox', () => {
    given(created)
      .when(closeDay('2026-03-02', { messages: 50, bounced: 50 }))
      .yields();
    given(created, movedToProduction)
      .when(closeDay('2026-02-28', { messages: 50, bounced: 50 }))
      .yields();
  });

  it('grows no further than the ceiling that the operator set for the service', () =>
    given(created, movedToProduction, limitsSet({ production_daily_ceiling: 1_000 }))
      .when(closeDay('2026-03-02', { messages: 1_000 }))
      .yields());
});

describe('the daily quota that an operator sets', () => {
  const set = (dailyQuota: number, more: { reason?: string; limits?: { production_daily_ceiling: number } } = {}) =>
    ({ kind: 'set-limits', limits: undefined, dailyQuota, at: AT, ...more }) as const;
  const changed = (from: number, to: number, reason: string): EmailServiceEvent => ({
    type: 'email-send.daily-quota-changed.v1',
    data: { service_id: 's1', day: AT.slice(0, 10), from, to, reason, messages: 0, bounced: 0, complained: 0, at: AT },
  });

  it('replaces the quota, even above the ceiling of the platform, and keeps the other limits', () => {
    given(created, movedToProduction)
      .when(set(500_000, { reason: 'contract 17' }))
      .yields(changed(1_000, 500_000, 'set by an operator: contract 17'));
    given(created, movedToProduction)
      .when(set(100))
      .yields(changed(1_000, 100, 'set by an operator'));
    given(created, movedToProduction).when(set(1_000)).yields();
  });

  it('is adjusted from its new value from the next day on', () => {
    const fifty = changed(1_000, 50_000, 'set by an operator');
    given(created, movedToProduction, fifty)
      .when(closeDay(AT.slice(0, 10), { messages: 40_000 }))
      .yields();
    given(created, movedToProduction, fifty)
      .when(closeDay('2026-03-02', { messages: 25_000 }))
      .yields({ ...doubled, data: { ...doubled.data, from: 50_000, to: 100_000, ...usedHalf } } as EmailServiceEvent);
    given(created, movedToProduction, fifty)
      .when(closeDay('2026-03-02', { messages: 1_000, bounced: 51 }))
      .yields({ ...doubled, data: { ...doubled.data, from: 50_000, to: 25_000, ...bounced } } as EmailServiceEvent);
  });

  it('stays within the ceiling that the operator sets, and is refused in the sandbox', () => {
    given(created, movedToProduction, limitsSet({ production_daily_ceiling: 3_000 }))
      .when(set(3_001))
      .refuses('invalid_input');
    given(created, movedToProduction)
      .when(set(3_001, { limits: { production_daily_ceiling: 3_000 } }))
      .refuses('invalid_input');
    given(created).when(set(100)).refuses('invalid_input');
  });

  const usedHalf = {
    reason: '25000 of 50000 messages used, 0 % bounced (below 2 %), 0 % complained about (below 0.1 %)',
    messages: 25_000,
  };
  const bounced = { reason: '5.1 % of the messages bounced (more than 5 %)', messages: 1_000, bounced: 51 };
});

describe('the limits of a service', () => {
  const defaults = {
    sandboxDaily: 50,
    sandboxPerMinute: 60,
    productionPerMinute: 600,
    productionDailyStart: 1_000,
    productionDailyCeiling: 200_000,
  };
  const sandbox = { mode: 'sandbox', limits: {}, dailyQuota: undefined } as const;
  const production = { mode: 'production', limits: {}, dailyQuota: 4_000 } as const;

  it('are 50 a day and 60 a minute in the sandbox', () =>
    expect(limitsOf(sandbox, defaults)).toEqual({ daily: 50, sharedDaily: 50, perMinute: 60 }));

  it('are the quota and 600 a minute in production', () =>
    expect(limitsOf(production, defaults)).toEqual({ daily: 4_000, sharedDaily: 50, perMinute: 600 }));

  it('are those of the operator, if set', () => {
    const limits = {
      sandbox_daily: 10,
      sandbox_per_minute: 5,
      production_per_minute: 100,
      production_daily_ceiling: 3_000,
    };
    expect(limitsOf({ ...sandbox, limits }, defaults)).toEqual({ daily: 10, sharedDaily: 10, perMinute: 5 });
    expect(limitsOf({ ...production, limits }, defaults)).toEqual({ daily: 3_000, sharedDaily: 10, perMinute: 100 });
  });
});

const create = {
  kind: 'create',
  serviceId: 's1',
  workspaceId: 'w1',
  name: 'App',
  at: AT,
} as const;
const created: EmailServiceEvent = {
  type: 'email-send.email-service-created.v1',
  data: { service_id: 's1', workspace_id: 'w1', name: 'App', at: AT },
};
const disabled: EmailServiceEvent = {
  type: 'email-send.email-service-disabled.v1',
  data: { service_id: 's1', at: AT },
};
const turned = (name: 'open_tracking' | 'suppression', on: boolean): EmailServiceEvent => ({
  type: 'email-send.email-service-switch-turned.v1',
  data: { service_id: 's1', switch: name, on, at: AT },
});
const limitsSet = (limits: { production_daily_ceiling: number }): EmailServiceEvent => ({
  type: 'email-send.email-service-limits-set.v1',
  data: { service_id: 's1', limits, at: AT },
});
const domainVerified = {
  kind: 'domain-verified',
  domainId: 'd1',
  domain: 'example.com',
  dailyStart: 1_000,
  at: AT,
} as const;
const movedToProduction: EmailServiceEvent = {
  type: 'email-send.email-service-moved-to-production.v1',
  data: { service_id: 's1', domain_id: 'd1', domain: 'example.com', daily_quota: 1_000, at: AT },
};
const closeDay = (day: string, counts: { messages: number; bounced?: number; complained?: number }) =>
  ({ kind: 'close-day', day, counts: { bounced: 0, complained: 0, ...counts }, ceiling: 200_000, at: LATER }) as const;
const doubled: EmailServiceEvent = {
  type: 'email-send.daily-quota-changed.v1',
  data: {
    service_id: 's1',
    day: '2026-03-02',
    from: 1_000,
    to: 2_000,
    reason: '600 of 1000 messages used, 0 % bounced (below 2 %), 0 % complained about (below 0.1 %)',
    messages: 600,
    bounced: 0,
    complained: 0,
    at: LATER,
  },
};
