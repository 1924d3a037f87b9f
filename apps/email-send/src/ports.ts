import type { EventMetadata } from '@postern/event-sourcing';
import type { DkimSigner, Mailbox } from '@postern/mail';
import type { TxtAnswer } from './domain/domain-records.js';
import type { ConcludedEmail, ConcludingCommand, EmailEvent, EmailFacts } from './domain/email.js';
import type { CopySettings, EmailBody, MailCopy } from './domain/email-copies.js';
import type { Evidence } from './domain/email-evidence.js';
import type { RateLimit } from './domain/email-limits.js';
import type { EmailRecord } from './domain/email-record.js';
import type { DefaultLimits } from './domain/email-service.js';
import type { Erasure, ErasureOfService, RunningErasure, StepReply } from './domain/erasure.js';
import type { CopyAnswer } from './domain/hand-over.js';
import type { RequestIdentity } from './domain/idempotency.js';
import type { DayCounts } from './domain/quota.js';
import type { DkimKey } from './domain/sending-domain.js';

/** All that a send has to know about the email service that a key belongs to. */
export interface Sender {
  readonly serviceId: string;
  readonly workspaceId: string;
  readonly enabled: boolean;
  readonly mode: 'sandbox' | 'production';
  readonly openTracking: boolean;
  readonly clickTracking: boolean;
  /** Whether a send to a suppressed address is stopped. */
  readonly suppression: boolean;
  readonly perMinuteLimit: number;
  /** Messages per UTC day as the limit stands now. */
  readonly dailyLimit: number;
  /** By domain (lower case, A-labels): what signs for it. One signer per key is kept, for it caches the parsed key. */
  readonly verifiedDomains: ReadonlyMap<string, DkimSigner>;
  /** Every domain of the service, verified or not; lower case, A-labels. */
  readonly registeredDomains: ReadonlySet<string>;
  /** Confirmed sandbox recipients, each as `addressKey` of `@postern/mail` spells it. */
  readonly verifiedRecipients: ReadonlySet<string>;
}

/** Finds the sender behind an API key as the database has it now: a revoked key is unknown at once, in every replica. */
export abstract class SenderDirectory {
  /** `keyHash` is the lower-case hex SHA-256 of the key. */
  abstract findByKeyHash(keyHash: string): Promise<Sender | undefined>;
  /** What signs for a verified domain of the service now; undefined once the domain is gone. For retried copies. */
  abstract signerFor(serviceId: string, domain: string): Promise<DkimSigner | undefined>;
}

export interface SuppressionNote {
  readonly serviceId: string;
  /** Lower case. */
  readonly address: string;
  readonly isSuppressed: boolean;
  readonly at: Date;
}

/** Addresses that bounced hard or complained, per email service. */
export abstract class SuppressionList {
  /** Which of the addresses (lower case) are listed for the service. */
  abstract suppressedAmong(serviceId: string, addresses: readonly string[]): Promise<ReadonlySet<string>>;
  /** Notes changes; of those about one address the latest stands, in whatever order and how often they come. */
  abstract note(changes: readonly SuppressionNote[]): Promise<void>;
}

/** An erasure that is not completed, with the address that it erases; undefined where no key opens it. */
export interface ErasureUnderWay {
  readonly erasure: RunningErasure;
  readonly address: string | undefined;
  /** Changes with every change of the record. */
  readonly revision: number;
}

/** Erasures as recorded. While one runs its address is kept sealed, afterwards only a keyed hash of it. */
export abstract class Erasures {
  /** Records the erasure of an address, joins the one that runs, or runs a completed one again. */
  abstract request(address: string, at: Date): Promise<Erasure>;
  abstract find(erasureId: string): Promise<Erasure | undefined>;
  abstract newest(limit: number): Promise<readonly Erasure[]>;
  abstract running(): Promise<readonly ErasureUnderWay[]>;
  /** Records progress. False where the record has changed since it was read; nothing is written then. */
  abstract save(erasure: RunningErasure, revision: number): Promise<boolean>;
  /** Calls `work` in one replica at a time. */
  abstract whileLeading(stop: AbortSignal, work: (lost: AbortSignal) => Promise<void>): Promise<void>;
}

/** The services, as the driver of erasures needs them. */
export abstract class ErasureSteps {
  /** @throws with a message for operators when the service gave no reply. */
  abstract take(
    service: ErasureOfService['service'],
    step: { readonly address: string; readonly replacement: string; readonly cursor: string | null },
  ): Promise<StepReply>;
}

/** Mail that Postern itself has to send (codes, warnings), from `no-reply@` the sandbox domain. */
export abstract class SystemMail {
  /** Throws the refusal `relay_unavailable` where no relay took it; nothing was sent then. */
  abstract send(to: string, subject: string, text: string): Promise<void>;
}

/** The upstream relays, tried in turn. An answer is data: this never throws for what a relay says or fails to say. */
export abstract class MailRelay {
  /**
   * Ends within its own deadline, and by `answerBy`: too late to begin, the copy is `unreachable` and not handed over;
   * past the beginning of its data an answer that never came is `unknown`.
   */
  abstract handOver(copy: MailCopy, answerBy?: Date): Promise<CopyAnswer>;
  /** Whether some relay takes addresses beyond ASCII (RFC 6531). */
  abstract offersSmtpUtf8(): Promise<boolean>;
}

/** Whose request it is, what limits it, and what tells it from another one. */
export interface Asking {
  readonly serviceId: string;
  /** Named before anything was asked, so that the same request may be asked again. */
  readonly emailId: string;
  readonly perMinuteLimit: number;
  readonly dailyLimit: number;
  readonly identity: RequestIdentity;
  readonly idempotencyKey?: string | undefined;
  readonly at: Date;
  /** When the client stops waiting: nothing is begun after it. */
  readonly answerBy: Date;
}

/** A message asking to be admitted. */
export interface AdmissionRequest extends Asking {
  readonly facts: EmailFacts;
  /** What is recorded with the admission. */
  readonly events: readonly EmailEvent[];
  readonly body: EmailBody;
}

/** The same request came before: its answer again. `rateLimit` is the standing as it is now. */
export interface Repeated {
  readonly kind: 'repeated';
  readonly record: EmailRecord;
  /** False where it is the answer to this very request, asked again because the first answer was lost. */
  readonly replayed: boolean;
  readonly rateLimit: RateLimit;
}

export type Admission = { readonly kind: 'admitted'; readonly rateLimit: RateLimit } | Repeated;

/** How the hand-over of a message that was admitted ended. */
export interface Conclusion {
  readonly facts: EmailFacts;
  readonly command: ConcludingCommand;
  /** Its claim ends with a message that was not handed over, so that a retry is a new request. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * The durable record of messages. Everything about one message that belongs together is written in one transaction;
 * concurrent requests share transactions, and one of them refused or failing never harms the others.
 */
export abstract class EmailLedger {
  /**
   * Claims the idempotency key, counts against the limits, records the acceptance and the body, and keeps the request
   * as open in this process. Throws the refusals of limits and of repeated requests; a refused request leaves nothing
   * behind. Throws anything else where it may have been admitted although nobody confirmed it.
   */
  abstract admit(request: AdmissionRequest): Promise<Admission>;
  /**
   * The answer to the request that this one repeats, for one that would be refused for another reason; undefined
   * where there was none. Throws the refusals of repeated requests.
   */
  abstract repeat(asking: Asking): Promise<Repeated | undefined>;
  /**
   * Decides and records the outcome, the answer and the copies to try again; a message not handed over gives its place
   * in the daily limit back. Answers the outcome that stands: another one where somebody else has recorded it, and
   * undefined for a message that was never admitted.
   */
  abstract conclude(conclusion: Conclusion): Promise<ConcludedEmail | undefined>;
  /**
   * Ends a message whose admission nobody confirmed, if it was this very request that admitted it. One that an earlier
   * question under the same id admitted stays, for the process that was asked may have handed it over.
   */
  abstract withdraw(request: AdmissionRequest, reason: string, at: string): Promise<void>;
  /** The record of a concluded message of this service; undefined for any other id. */
  abstract record(serviceId: string, emailId: string): Promise<EmailRecord | undefined>;
  /** Whether a message of this service was admitted and has no outcome yet. */
  abstract isUnderWay(serviceId: string, emailId: string): Promise<boolean>;
  /** The answer with this message's record was received: the same request from now on is another message. */
  abstract answerReceived(emailId: string): void;
}

/** Messages whose outcome only evidence can tell. */
export abstract class UnresolvedEmails {
  /** Takes evidence of any messages; turns those to `sent` whose outcome is unknown. Evidence may come repeatedly. */
  abstract confirm(evidence: readonly (Evidence & { readonly emailId: string })[]): Promise<void>;
}

/** Requests whose answers nobody has confirmed as received. */
export abstract class OpenRequests {
  /** Forgets those that no retry is recognised by any more, and unresolved messages too old for evidence. */
  abstract purge(now: Date): Promise<void>;
}

/** Messages under way, by the process that has them. */
export abstract class EmailsUnderWay {
  /**
   * Calls `close` with the messages of processes that are gone, in batches, each while no other replica can do the
   * same. Messages of a process whose end is not certain are left alone.
   */
  abstract abandoned(close: (emails: readonly EmailFacts[]) => Promise<void>): Promise<void>;
}

/** A deferred copy, claimed for one try. */
export interface ClaimedCopy {
  readonly facts: EmailFacts;
  /** The request that the message came with; its trace goes on with every try. */
  readonly origin: EventMetadata;
  readonly body: EmailBody;
  readonly recipientIndex: number;
  /** Tries after the hand-over, this one not counted. */
  readonly tries: number;
  readonly deadline: Date;
  /** The fence of this try: once the claim has passed on, its outcome is no longer taken. */
  readonly claim: string;
}

/** Copies that a relay deferred while it took others of the same message. */
export abstract class DeferredCopies {
  /** Claims copies whose time has come, for longer than any try can take. */
  abstract claimDue(now: Date, atMost: number): Promise<readonly ClaimedCopy[]>;
  /** Claims copies whose try was cut off: what the relay took of them is unknown. */
  abstract claimCutOff(now: Date, atMost: number): Promise<readonly ClaimedCopy[]>;
  /** Records the outcome of a try, and when the next one is due where there is one; nothing if the claim passed on. */
  abstract settle(copy: ClaimedCopy, answer: CopyAnswer, at: Date): Promise<void>;
}

/** What time takes away. */
export abstract class Retention {
  /** Deletes bodies of final messages accepted before the day, in small steps. */
  abstract purgeBodies(before: Date): Promise<void>;
  /** Deletes idempotency keys past their time, and counters of minutes and days that no limit looks at any more. */
  abstract purgeExpired(now: Date): Promise<void>;
}

/** What the operator settles about sending. */
export abstract class SendingSettings {
  /** The shared sender of sandbox and fallback mail, and what signs for its domain where the operator gave a key. */
  abstract readonly sandboxSender: Mailbox;
  abstract readonly sandboxSigner: DkimSigner | undefined;
  /** Addresses there take part in sandbox mail and stand outside the quota. */
  abstract readonly simulatorDomain: string | undefined;
  abstract readonly copies: CopySettings;
  /** How long the body of a final message is kept. */
  abstract readonly bodyRetentionDays: number;
}

/** Reads the DNS. It never throws for what the DNS answers or fails to answer. */
export abstract class DnsResolver {
  abstract lookUpTxt(name: string): Promise<TxtAnswer>;
}

/** Signing keys of sending domains. The private halves lie encrypted and never leave email-send. */
export abstract class DkimKeys {
  /** Makes a 2048-bit RSA key under a selector of its own; takes about 0.1 s, off the event loop. */
  abstract generate(domainId: string): Promise<DkimKey>;
  /** Destroys keys that sign nothing any more, or never came to. */
  abstract destroy(keyIds: readonly string[]): Promise<void>;
}

/** What stands between a verification code and its guessing. */
export abstract class RecipientCodes {
  /** Six digits, unpredictable. */
  abstract newCode(): string;
  /** Keyed hashes of a code for one recipient, one for each key still in use; a new code is kept under the first. */
  abstract hashesOf(recipientId: string, code: string): readonly [string, ...string[]];
  /** Counts a code mail of the service; throws the refusal `too_many_codes` past the hour's allowance. */
  abstract take(serviceId: string, at: Date): Promise<void>;
  /** Gives back what was taken for a mail that never went out. */
  abstract giveBack(serviceId: string, at: Date): Promise<void>;
}

export interface DueDomain {
  readonly serviceId: string;
  readonly domainId: string;
}

/** When each sending domain is to be looked up next; shared by all replicas. A new domain is due at once. */
export abstract class DomainChecks {
  /** Domains whose check is due, each given to one caller at a time for two minutes. */
  abstract claimDue(atMost: number): Promise<readonly DueDomain[]>;
  /** Notes that a check was made now and when the next one is due. */
  abstract checked(domainId: string, nextInS: number): Promise<void>;
  /** The next check is due now. */
  abstract hasten(domainId: string): Promise<void>;
  abstract forget(domainId: string): Promise<void>;
}

export interface ClosedDay extends DayCounts {
  readonly serviceId: string;
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
}

/** A copy of the message bounced, or somebody complained about it. */
export interface Report {
  readonly serviceId: string;
  readonly emailId: string;
  readonly kind: 'bounced' | 'complained';
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
}

/** What each UTC day of each service came to, until it has been judged. */
export abstract class DayBook {
  /** Days that are over and not judged yet, oldest first within a service; no more than `atMost`. */
  abstract unjudged(atMost: number): Promise<readonly ClosedDay[]>;
  abstract judged(serviceId: string, day: string): Promise<void>;
  /** Each message counts once for each kind, on the day of its first report. */
  abstract note(reports: readonly Report[]): Promise<void>;
  /** Forgets what can change nothing any more. */
  abstract purge(): Promise<void>;
}

/** How much of its daily limit each service has used. */
export abstract class SentToday {
  /** Messages of the current UTC day; services without any are absent. */
  abstract of(serviceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** What the operator settles about administration. */
export abstract class AdministrationSettings {
  /** What an SPF record has to include. */
  abstract readonly spfHost: string;
  abstract readonly limits: DefaultLimits;
}
