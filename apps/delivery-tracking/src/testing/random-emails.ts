import fc from 'fast-check';
import type { EmailCounts } from '../tracked-emails/email-counts.js';
import type { Signal } from '../tracked-emails/signal.js';
import type { EmailFacts } from '../tracked-emails/tracked-email-state.js';
import { BROWSER } from './example-signals.js';

type CopyResult = 'accepted' | 'refused' | 'deferred' | 'suppressed' | 'unknown';
type Evidence = 'delivered' | 'bounced' | 'complained' | 'opened' | 'opened_by_machine' | 'clicked';

/** One recipient's copy: the result of the hand-over, of a retry, and the later reports. */
export interface CopyScenario {
  readonly result: CopyResult;
  readonly retry: 'none' | 'accepted' | 'refused' | 'expired';
  readonly evidence: readonly Evidence[];
}

/** One message, independent of the order of its signals. */
export interface EmailScenario {
  readonly end: 'handed_over' | 'interrupted' | 'interrupted_then_handed_over' | 'not_handed_over' | 'under_way';
  readonly deadlinePassed: boolean;
  readonly copies: readonly CopyScenario[];
}

const copyScenario: fc.Arbitrary<CopyScenario> = fc.record({
  result: fc.constantFrom<CopyResult>('accepted', 'refused', 'deferred', 'suppressed', 'unknown'),
  retry: fc.constantFrom('none', 'accepted', 'refused', 'expired'),
  evidence: fc.subarray<Evidence>(['delivered', 'bounced', 'complained', 'opened', 'opened_by_machine', 'clicked']),
});

export const emailScenario: fc.Arbitrary<EmailScenario> = fc.record({
  end: fc.constantFrom('handed_over', 'interrupted', 'interrupted_then_handed_over', 'not_handed_over', 'under_way'),
  deadlinePassed: fc.boolean(),
  copies: fc.array(copyScenario, { minLength: 1, maxLength: 3 }),
});

/** The time of each kind of signal after acceptance. */
const SECONDS = { interrupted: 50, hand_over: 1, retry: 300, report: 20, visit: 7_200, deadline: 432_000 } as const;

/** The signals of a message in chronological order; `skewed` shifts the clock of each source. */
export function signalsOf(
  facts: EmailFacts,
  { end, deadlinePassed, copies }: EmailScenario,
  skewed: (seconds: number) => number = seconds => seconds,
): readonly Signal[] {
  const at = (kind: keyof typeof SECONDS, index = 0) =>
    new Date(Date.parse(facts.accepted_at) + skewed(SECONDS[kind]) * 1_000 + index * 100).toISOString();
  const { email_id, service_id } = facts;
  const outcome = (index: number, result: CopyResult | 'expired', kind: 'hand_over' | 'retry') => ({
    index,
    address: facts.recipients[index]!.address,
    result,
    smtp_response: result === 'accepted' ? '250 2.0.0 queued' : '450 4.2.0 no',
    relay: 'relay.test',
    relay_is_final: false,
    at: at(kind),
  });
  const signals: Signal[] = [{ kind: 'accepted', data: facts }];
  if (end.startsWith('interrupted'))
    signals.push({ kind: 'interrupted', data: { email_id, service_id, at: at('interrupted') } });
  if (end === 'not_handed_over')
    signals.push({ kind: 'not_handed_over', data: { email_id, service_id, reason: 'no relay', at: at('hand_over') } });
  if (isHandedOver(end)) {
    const outcomes = copies.map(({ result }, index) => outcome(index, result, 'hand_over'));
    const status = copies.some(({ result }) => result === 'accepted') ? 'sent' : 'failed';
    signals.push({ kind: 'handed_over', data: { email_id, service_id, status, message: '', outcomes } });
    for (const [index, { result, retry }] of copies.entries())
      if (result === 'deferred' && retry !== 'none')
        signals.push({ kind: 'copy_retried', data: { email_id, service_id, outcome: outcome(index, retry, 'retry') } });
  }
  for (const [index, { evidence }] of copies.entries())
    signals.push(...evidence.map(kind => signalOf(facts, index, kind, at)));
  if (deadlinePassed) signals.push({ kind: 'deadline_passed', at: at('deadline') });
  return signals;
}

const isHandedOver = (end: EmailScenario['end']): boolean => end.endsWith('handed_over') && !end.startsWith('not');

function signalOf(
  facts: EmailFacts,
  index: number,
  kind: Evidence,
  at: (kind: keyof typeof SECONDS, index: number) => string,
): Signal {
  const visit = { email_id: facts.email_id, recipient_index: index, ip: '192.0.2.7', at: at('visit', index) };
  switch (kind) {
    case 'delivered':
    case 'bounced': {
      const { address } = facts.recipients[index]!;
      const action = kind === 'delivered' ? 'delivered' : 'failed';
      const status = { action, addresses: [address], response: '250 or 550', bounceType: 'hard' } as const;
      return { kind: 'notified', index, at: at('report', index), status };
    }
    case 'complained':
      return { kind: 'complained', index, source: 'abuse', at: at('report', index) };
    case 'opened':
      return { kind: 'opened', data: { ...visit, user_agent: BROWSER } };
    case 'opened_by_machine':
      return { kind: 'opened', data: { ...visit, user_agent: 'Mozilla/5.0' } };
    case 'clicked':
      return { kind: 'clicked', data: { ...visit, user_agent: BROWSER, url: 'https://example.com/' } };
  }
}

/** The result of one recipient, derived from the scenario and not from events. */
export function resultOfScenario({ end }: EmailScenario, { result, retry, evidence }: CopyScenario): EmailResult {
  const reported = (...kinds: Evidence[]) => kinds.some(kind => evidence.includes(kind));
  if (reported('delivered', 'complained', 'opened', 'clicked')) return 'sent';
  if (isHandedOver(end)) {
    const last = result === 'deferred' && retry !== 'none' ? retry : result;
    if (last === 'accepted') return 'sent';
    if (last === 'refused' || last === 'suppressed' || last === 'expired') return 'failed';
  }
  if (reported('bounced', 'opened_by_machine')) return 'sent';
  return end === 'not_handed_over' ? 'retry_requested' : 'unknown';
}

export type EmailResult = 'sent' | 'failed' | 'unknown' | 'retry_requested';

/** The counts of scenarios, except those that depend on the text of bounces. */
export function countsOfScenarios(
  scenarios: readonly EmailScenario[],
): Pick<EmailCounts, 'accepted' | EmailResult | 'delivered' | 'complained' | 'opened' | 'clicked' | 'machine_opens'> {
  const all = scenarios.flatMap(scenario =>
    scenario.copies.map(copy => ({ copy, result: resultOfScenario(scenario, copy) })),
  );
  const count = (result: EmailResult) => all.filter(one => one.result === result).length;
  const reported = (kind: Evidence) => all.filter(({ copy }) => copy.evidence.includes(kind)).length;
  return {
    accepted: all.length - count('retry_requested'),
    sent: count('sent'),
    failed: count('failed'),
    unknown: count('unknown'),
    retry_requested: count('retry_requested'),
    delivered: reported('delivered'),
    complained: reported('complained'),
    opened: reported('opened'),
    clicked: reported('clicked'),
    machine_opens: reported('opened_by_machine'),
  };
}
