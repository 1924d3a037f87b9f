/** The notifications of RFC 3464 §2.3.3, and the complaint of RFC 5965. */
export type Action = 'delivered' | 'relayed' | 'expanded' | 'delayed' | 'failed';

/** One effect of an accepted copy after a delay. */
export type Step =
  | { kind: 'keep'; afterMs: number }
  | { kind: 'notify'; afterMs: number; action: Action; status: string; reply: string }
  | { kind: 'complain'; afterMs: number };

/** What happens to the copy of a recipient: the response to RCPT, and the steps after its acceptance. */
export interface RecipientOutcome {
  refusal?: { code: number; text: string; onlyOnce: boolean };
  steps: Step[];
}

const keep: Step = { kind: 'keep', afterMs: 0 };

const notify = (action: Action, status: string, reply: string, afterMs = 0): Step => ({
  kind: 'notify',
  afterMs,
  action,
  status,
  reply,
});

const accepted = '250 2.1.5 delivered to mailbox';
const delivered: RecipientOutcome = { steps: [keep, notify('delivered', '2.1.5', accepted)] };

/**
 * Decides the outcome for a recipient. At the simulator's domain the local part, without a `+tag`, selects it; every
 * other address accepts mail. Mail to `slow@` arrives after `slowMs` and is reported as delayed after half of that.
 */
export function outcomeFor(address: string, simulatorDomain: string, slowMs: number): RecipientOutcome {
  const at = address.lastIndexOf('@');
  if (address.slice(at + 1).toLowerCase() !== simulatorDomain.toLowerCase()) return delivered;
  switch (address.slice(0, at).toLowerCase().split('+')[0]) {
    case 'hard-bounce':
      return { steps: [notify('failed', '5.1.1', '550 5.1.1 no such user here')] };
    case 'soft-bounce':
      return { steps: [notify('failed', '5.2.2', '552 5.2.2 mailbox full')] };
    case 'complaint':
      return { steps: [...delivered.steps, { kind: 'complain', afterMs: 100 }] };
    case 'slow':
      return {
        steps: [
          notify('delayed', '4.4.1', '451 4.4.1 destination is not responding', Math.floor(slowMs / 2)),
          { kind: 'keep', afterMs: slowMs },
          notify('delivered', '2.1.5', accepted, slowMs),
        ],
      };
    case 'relayed':
      return { steps: [keep, notify('relayed', '2.0.0', '250 2.0.0 accepted by a host that sends no notifications')] };
    case 'expanded':
      return { steps: [keep, notify('expanded', '2.0.0', '250 2.0.0 forwarded to the members of a list')] };
    case 'refused':
      return { refusal: { code: 550, text: '5.1.1 no such user here', onlyOnce: false }, steps: [] };
    case 'deferred':
      return { ...delivered, refusal: { code: 451, text: '4.2.1 try again later', onlyOnce: true } };
    default:
      return delivered;
  }
}

/** Whether the sender requested a notification (RFC 3461 §4.1); without NOTIFY, only failures are reported. */
export function isRequested(action: Action, notifyOn: string[]): boolean {
  const requested = notifyOn.length > 0 ? notifyOn : ['FAILURE'];
  if (action === 'failed') return requested.includes('FAILURE');
  return requested.includes(action === 'delayed' ? 'DELAY' : 'SUCCESS');
}
