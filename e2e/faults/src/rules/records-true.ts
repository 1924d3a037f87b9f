import { groupBy, provenEmails, returnedIds } from './evidence.js';
import type { Rule } from './violation.js';

/** GET /emails/{id} agrees with the earlier responses and with the relay's records. */
export const recordsTrue: Rule = (traffic, { records }) => {
  const proven = provenEmails(traffic);
  const atRelay = groupBy(traffic.taken, ({ emailId }) => emailId);
  const acknowledged = new Map(
    traffic.requests.flatMap(({ attempts }) =>
      attempts.flatMap(({ status, record }) => (status === 200 && record ? [[record.id, record.status] as const] : [])),
    ),
  );
  const ids = new Set([...returnedIds(traffic), ...atRelay.keys()]);
  return [...ids].flatMap(emailId => {
    const found = records.get(emailId);
    const marker = atRelay.get(emailId)?.[0]?.marker;
    const wrong = (detail: string) => [{ rule: 'wrong record', emailId, marker, detail }];
    if (found?.status !== 200 || !found.record)
      return acknowledged.has(emailId) || atRelay.has(emailId)
        ? wrong(`GET answers ${found?.status ?? 'nothing'}`)
        : [];
    const { status, message } = found.record;
    if (status === 'failed' && proven.has(emailId))
      return wrong(`GET says failed ("${message}"), but it was delivered`);
    if (status === 'sent' && !atRelay.has(emailId)) return wrong('GET says sent, but the relay never had it');
    if (status === 'failed' && acknowledged.get(emailId) === 'sent') return wrong('answered sent, but GET says failed');
    return [];
  });
};
