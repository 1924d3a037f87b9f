import { fold } from '@postern/event-sourcing';
import type { ClaimedCopy, DeferredMessage } from '../../../apps/email-send/src/deferred-copies/ports.js';
import {
  type ConcludedEmail,
  type Email,
  type EmailEvent,
  type EmailFacts,
  type EmailRecord,
  type Evidence,
  email,
  emailStream,
  isUnresolved,
  recordOf,
} from '../../../apps/email-send/src/emails/email.js';
import type { EmailBody } from '../../../apps/email-send/src/emails/email-copies.js';
import { relayUnavailable } from '../../../apps/email-send/src/emails/email-refusals.js';
import {
  outcomeUnknown,
  recognisedDeadlines,
  refusalOfRepeat,
} from '../../../apps/email-send/src/emails/idempotency.js';
import type {
  Admission,
  AdmissionContext,
  AdmissionRequest,
  Conclusion,
  RepeatedAnswer,
} from '../../../apps/email-send/src/emails/ports.js';
import { nextTry, retryDeadline } from '../../../apps/email-send/src/emails/retry-schedule.js';
import type { CopyAnswer } from '../../../apps/email-send/src/relay/hand-over.js';
import type { EventLog } from './event-log.js';

const LEASE_MS = 300_000;
const RATE_LIMIT = { limit: 1_000, remaining: 1_000, reset_s: 60 };

interface DeferredCopy {
  readonly emailId: string;
  readonly index: number;
  readonly deadline: Date;
  tries: number;
  dueAt: Date;
  claim: string | undefined;
  claimedUntil: Date;
}

/** The state that survives a crash of email-send, with the guarantees of its ports: log, records, keys and open requests. */
export class EmailDatabase {
  readonly records = new Map<string, EmailRecord>();
  readonly #openRequests = new Map<string, AdmissionRequest>();
  readonly #keys = new Map<string, AdmissionRequest>();
  readonly #bodies = new Map<string, EmailBody>();
  readonly #deferred: DeferredCopy[] = [];

  constructor(
    readonly log: EventLog,
    private readonly now: () => number,
  ) {}

  async admit(request: AdmissionRequest): Promise<Admission> {
    const repeated = this.#repeated(request);
    if (repeated) return repeated;
    const { emailId, idempotencyKey, serviceId, events, body } = request;
    if (idempotencyKey !== undefined) this.#keys.set(`${serviceId} ${idempotencyKey}`, request);
    this.#append(emailId, events);
    this.#bodies.set(emailId, body);
    this.#openRequests.set(emailId, request);
    return { kind: 'admitted', rateLimit: RATE_LIMIT };
  }

  async findRepeated(context: AdmissionContext): Promise<RepeatedAnswer | undefined> {
    return this.#repeated(context);
  }

  async conclude({ facts, command, idempotencyKey }: Conclusion): Promise<ConcludedEmail | undefined> {
    const state = this.#state(facts.email_id);
    if (state.state === 'new') return undefined;
    if (state.state === 'concluded') return this.#confirmLate(state, command);
    const outcome = this.#record(facts.email_id, email.decide(command, state)) as ConcludedEmail;
    if (!outcome.handedOver) {
      this.#openRequests.delete(facts.email_id);
      if (idempotencyKey !== undefined) this.#keys.delete(`${facts.service_id} ${idempotencyKey}`);
    }
    this.#defer(outcome);
    return outcome;
  }

  async withdraw(request: AdmissionRequest, _cause: unknown, at: string): Promise<void> {
    const state = this.#state(request.emailId);
    if (state.state !== 'accepted' || state.facts !== request.facts) return;
    const { facts, idempotencyKey } = request;
    await this.conclude({ facts, command: { kind: 'give_up', reason: 'internal error', at }, idempotencyKey });
  }

  async record(_serviceId: string, emailId: string): Promise<EmailRecord | undefined> {
    return this.records.get(emailId);
  }

  async isInProgress(_serviceId: string, emailId: string): Promise<boolean> {
    return this.#state(emailId).state === 'accepted';
  }

  async answerReceived(emailId: string): Promise<void> {
    this.#openRequests.delete(emailId);
  }

  async confirm(evidence: readonly (Evidence & { readonly emailId: string })[]): Promise<void> {
    for (const { emailId, ...proof } of evidence) this.#confirm(emailId, proof);
  }

  async closeAbandoned(close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void> {
    const emails = this.#underWay().map(({ facts }) => facts);
    if (emails.length > 0) await close(emails);
  }

  async claimDue(): Promise<readonly ClaimedCopy[]> {
    return this.#claim(({ claim, dueAt }) => claim === undefined && dueAt.getTime() <= this.now());
  }

  async claimCutOff(): Promise<readonly ClaimedCopy[]> {
    return this.#claim(({ claim, claimedUntil }) => claim !== undefined && claimedUntil.getTime() <= this.now());
  }

  async messageOf({ emailId }: ClaimedCopy): Promise<DeferredMessage> {
    const state = this.#state(emailId);
    if (state.state === 'new') throw new Error(`email ${emailId} was never accepted`);
    return { facts: state.facts, origin: { correlationId: emailId }, body: this.#bodies.get(emailId)! };
  }

  async release(copy: ClaimedCopy, dueAt: Date): Promise<void> {
    const deferred = this.#deferred.find(({ claim }) => claim === copy.claim);
    if (!deferred) return;
    deferred.claim = undefined;
    deferred.dueAt = dueAt;
  }

  async settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void> {
    const place = this.#deferred.findIndex(({ claim }) => claim === copy.claim);
    const deferred = this.#deferred[place];
    if (!deferred) return;
    const { emailId } = copy;
    const last = at >= deferred.deadline;
    const command = { kind: 'record_try', index: copy.recipientIndex, answer, last, at: at.toISOString() } as const;
    const state = this.#record(emailId, email.decide(command, this.#state(emailId)));
    if (state.state === 'concluded' && state.deferred.includes(copy.recipientIndex)) {
      deferred.tries += 1;
      deferred.claim = undefined;
      deferred.dueAt = nextTry(deferred.tries, at, deferred.deadline);
    } else this.#deferred.splice(place, 1);
  }

  get isWaiting(): boolean {
    return this.#deferred.length > 0 || this.#underWay().length > 0;
  }

  #underWay(): AdmissionRequest[] {
    return [...this.#openRequests.values()].filter(({ emailId }) => this.#state(emailId).state === 'accepted');
  }

  /** Same precedence as in PostgreSQL: the message id, then the key, then the body. */
  #repeated(context: AdmissionContext): RepeatedAnswer | undefined {
    const { emailId, idempotencyKey, serviceId } = context;
    const own = this.#state(emailId);
    if (own.state === 'accepted') throw outcomeUnknown(emailId);
    if (own.state === 'concluded') {
      if (!own.handedOver) throw relayUnavailable(own);
      return { kind: 'repeated', record: recordOf(own), replayed: false, rateLimit: RATE_LIMIT };
    }
    return idempotencyKey === undefined
      ? this.#repeatedBody(context)
      : this.#repeatedKey(context, this.#keys.get(`${serviceId} ${idempotencyKey}`));
  }

  #repeatedKey(
    { fingerprint, at }: AdmissionContext,
    claimed: AdmissionRequest | undefined,
  ): RepeatedAnswer | undefined {
    if (!claimed) return undefined;
    const record = this.records.get(claimed.emailId);
    const earlier = {
      emailId: claimed.emailId,
      fingerprint: claimed.fingerprint,
      isAnswered: record !== undefined,
      answerBy: this.#openRequests.get(claimed.emailId)?.answerBy ?? null,
    };
    const refusal = refusalOfRepeat(earlier, fingerprint, at);
    if (refusal) throw refusal;
    return { kind: 'repeated', record: record!, replayed: true, rateLimit: RATE_LIMIT };
  }

  #repeatedBody({ fingerprint, at }: AdmissionContext): RepeatedAnswer | undefined {
    const { after, until } = recognisedDeadlines(at);
    const open = [...this.#openRequests.values()].findLast(
      ({ idempotencyKey, answerBy, ...open }) =>
        idempotencyKey === undefined && open.fingerprint === fingerprint && answerBy > after && answerBy <= until,
    );
    if (!open) return undefined;
    const record = this.records.get(open.emailId);
    if (!record) throw outcomeUnknown(open.emailId);
    return { kind: 'repeated', record, replayed: true, rateLimit: RATE_LIMIT };
  }

  #confirmLate(state: ConcludedEmail, command: Conclusion['command']): ConcludedEmail {
    const place = command.kind === 'conclude' ? command.answers.findIndex(({ result }) => result === 'accepted') : -1;
    const recipient = state.facts.recipients[place];
    if (!recipient || !isUnresolved(state)) return state;
    return this.#confirm(state.facts.email_id, {
      index: recipient.index,
      kind: 'answered',
      at: command.at,
    }) as ConcludedEmail;
  }

  #confirm(emailId: string, evidence: Evidence): Email {
    return this.#record(emailId, email.decide({ kind: 'confirm', evidence }, this.#state(emailId)));
  }

  /** Appends the events and stores the resulting record. */
  #record(emailId: string, events: readonly EmailEvent[]): Email {
    this.#append(emailId, events);
    const state = this.#state(emailId);
    if (state.state === 'concluded') this.records.set(emailId, recordOf(state));
    return state;
  }

  #defer({ facts, deferred }: ConcludedEmail): void {
    const acceptedAt = new Date(facts.accepted_at);
    const deadline = retryDeadline(acceptedAt);
    for (const index of deferred)
      this.#deferred.push({
        emailId: facts.email_id,
        index,
        deadline,
        tries: 0,
        dueAt: nextTry(0, acceptedAt, deadline),
        claim: undefined,
        claimedUntil: acceptedAt,
      });
  }

  #claim(isDue: (copy: DeferredCopy) => boolean): readonly ClaimedCopy[] {
    return this.#deferred.filter(isDue).map(copy => {
      copy.claim = `${copy.emailId} ${copy.index} ${this.log.events.length} ${this.now()}`;
      copy.claimedUntil = new Date(this.now() + LEASE_MS);
      const { emailId, index: recipientIndex, tries, deadline, claim } = copy;
      return { emailId, recipientIndex, tries, deadline, claim };
    });
  }

  #state(emailId: string): Email {
    return fold(email, this.log.stream(emailStream(emailId)));
  }

  #append(emailId: string, events: readonly EmailEvent[]): void {
    this.log.append(emailStream(emailId), events, { correlationId: emailId });
  }
}
