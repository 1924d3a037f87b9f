import type { Report } from '../observed-traffic.js';
import { groupBy } from './evidence.js';
import type { Rule } from './violation.js';

/** The states that are allowed for a copy at the relay, given the reports accepted so far. */
const statesAfter = (reports: readonly Report[]): readonly string[] => {
  const kinds = new Set(reports.filter(({ takenAt }) => takenAt !== null).map(({ kind }) => kind));
  if (kinds.has('complained')) return ['complained'];
  if (kinds.has('bounced_hard') || kinds.has('bounced_soft')) return ['bounced'];
  if (kinds.has('delivered')) return ['delivered'];
  return ['handed_over', 'unknown', 'delivered', 'bounced', 'complained'];
};

/** The dashboard lists every copy at the relay in the state that the reports prove, and no unfinished one. */
export const listsTrue: Rule = (traffic, { listed }) => {
  const rows = new Map(listed.map(row => [row.id, row]));
  const reports = groupBy(traffic.reports, ({ emailId, recipient }) => `${emailId} ${recipient}`);
  const wrong = traffic.taken.flatMap(({ emailId, recipient, marker }) => {
    const row = rows.get(emailId);
    if (!row) return [{ rule: 'not listed', emailId, marker, detail: 'the relay has it, the list does not' }];
    const shown = row.recipients.find(({ address }) => address === recipient)?.state ?? 'no such recipient';
    const allowed = statesAfter(reports.get(`${emailId} ${recipient}`) ?? []);
    const proven = allowed.length === 1;
    if (allowed.includes(shown) && !(proven && row.status === 'failed')) return [];
    const detail = `listed as ${row.status}, ${shown}; expected ${allowed.join(' or ')}`;
    return [{ rule: 'wrong list', emailId, marker, detail }];
  });
  const atRelay = new Set(traffic.taken.map(({ emailId }) => emailId));
  const neverHad = listed
    .filter(({ id, status }) => status === 'sent' && !atRelay.has(id))
    .map(({ id }) => ({ rule: 'wrong list', emailId: id, detail: 'listed as sent; the relay never had it' }));
  const unfinished = listed
    .filter(({ status, recipients }) => status === 'accepted' || recipients.some(({ state }) => state === 'pending'))
    .map(({ id, status }) => ({ rule: 'unfinished', emailId: id, detail: `still ${status}, without a reason` }));
  return [...wrong, ...neverHad, ...unfinished];
};
