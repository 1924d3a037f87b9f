import { oneLine, quotedReply, quotedStatus } from '../notices/quoted-reply.js';
import { type RefusedStage, refusedStage } from '../notices/refused-stage.js';
import { parseReply } from '../smtp-answer.js';
import { ADVICE } from './advice.js';
import { BOUNCE_RULES_VERSION, type BounceName, type BounceRule } from './bounce-rule.js';
import { PROVIDER_RULES } from './provider-rules.js';
import {
  ABOUT_MESSAGE_OR_SENDER,
  INACTIVITY_RULE,
  STATED_POLICY_RULE,
  STATED_RECIPIENT_RULES,
} from './stated-recipient.js';
import { BY_CODE, causeOf, detailOf, isSpecific, preciseCause } from './status-rules.js';
import { CIRCUMSTANCE_RULES, NETWORK_RULES, POLICY_RULES, RECIPIENT_RULES, VETO_RULES } from './word-rules.js';

/** `hard`: the address permanently rejects mail; `soft`: anything else, including the reputation of the sending server. */
export interface BounceClass {
  readonly type: 'hard' | 'soft';
  readonly name: BounceName;
  /** The rule of the table that matched. */
  readonly rule: string;
  /** The version of the table. */
  readonly version: number;
  /** Explanation and advice, in one or two sentences. */
  readonly advice: string;
}

/** The evidence: the status of a notification, the response of a server, or both. */
export interface BounceEvidence {
  /** RFC 3463, as given. */
  readonly status?: string;
  /** Diagnostic-Code or the reply, with its SMTP code if there is one. */
  readonly text?: string;
  /** Other text of the notification about the recipient. */
  readonly words?: string;
  /** The notification reports a permanent failure; ignored if a code contradicts it. */
  readonly isFinal?: boolean;
}

interface Answer {
  readonly code: number;
  readonly enhanced: string | undefined;
  readonly words: string;
}

interface Verdict {
  readonly name: BounceName;
  readonly rule: string;
  readonly isSoft?: boolean;
  readonly advice?: string;
}

const HARD: ReadonlySet<BounceName> = new Set([
  'unknown_user',
  'no_such_domain',
  'bad_address',
  'moved',
  'null_mx',
  'mailbox_disabled',
]);
const REFUSED_SENDER: Verdict = { name: 'sender_rejected', rule: 'stage.mail-from' };
const MAX_TEXT = 4_000;
const URLS = /\bhttps?:\/\/\S+/gi;
const ADDRESSES = /[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;:]{1,255}/g;

/** Classifies a bounce: hard only for a permanent (5xx) reply about the recipient, otherwise soft. */
export function classifyBounce({ status, text = '', words = '', isFinal = false }: BounceEvidence): BounceClass {
  const diagnostic = answerIn(text.slice(0, MAX_TEXT));
  const other = answerIn(words.slice(0, MAX_TEXT));
  // The reply that a notification quotes replaces a Diagnostic-Code without one.
  const answer = diagnostic.code === 0 && other.code !== 0 ? other : diagnostic;
  const found =
    byAnswer(answer) ??
    byStatus(detailOf(status), answer) ??
    byWords(answer.words) ??
    byWords(other.words, [...PROVIDER_RULES, ...VETO_RULES]) ??
    byCode(answer, detailOf(status));
  const stage = refusedStage(`${text} ${words}`.slice(0, 2 * MAX_TEXT));
  // The server rejected the sender before it received the recipient.
  const verdict = stage === 'sender' && HARD.has(found.name) ? REFUSED_SENDER : found;
  const { name, rule, isSoft = false, advice = ADVICE[verdict.name] } = verdict;
  const isHard =
    HARD.has(name) &&
    !isSoft &&
    isLasting(status, answer, isFinal) &&
    (isAboutRecipient(answer, stage) || (stage === 'data' && PROVIDER_RULES.some(({ id }) => id === rule)));
  return { type: isHard ? 'hard' : 'soft', name, rule, version: BOUNCE_RULES_VERSION, advice };
}

/** The type of a bounce with a known cause, and the advice for its owner. */
export const meaningOf = (name: BounceName): Pick<BounceClass, 'type' | 'advice'> => ({
  type: HARD.has(name) ? 'hard' : 'soft',
  advice: ADVICE[name],
});

function answerIn(text: string): Answer {
  const plain = parseReply(text);
  const quoted = plain.code === 0 ? quotedReply(text) : undefined;
  const own = quoted?.text ?? text;
  return {
    code: plain.code || (quoted?.code ?? 0),
    enhanced: plain.enhanced ?? quotedStatus(own.slice(0, 120)),
    // Addresses are removed first: "quota@…" does not indicate a quota. A reply that is only a consequence of another one
    // is ignored: the surrounding text is used.
    words: oneLine((plain.code !== 0 ? plain.response : quoted?.isConsequence ? text : own).replace(ADDRESSES, '@')),
  };
}

/**
 * Rules for the reply of the last server, in order of precedence: provider-specific text, what it states about the
 * recipient, the address of a provider's help page, vetoes, a stated policy, the precise status code.
 */
function byAnswer({ enhanced, words }: Answer): Verdict | undefined {
  const detail = detailOf(enhanced);
  const text = words.replace(URLS, ' ');
  const worded =
    firstOf(PROVIDER_RULES, text, detail) ??
    statedRecipient(text, detail) ??
    firstOf(PROVIDER_RULES, words, detail) ??
    firstOf([...VETO_RULES, STATED_POLICY_RULE], words, detail);
  if (worded) return worded;
  const coded = preciseCause(detail);
  return coded && { name: coded, rule: `code.${detail}` };
}

/** Servers send statements about the recipient with codes of policy (5.7.1), and with the address of a help page. */
function statedRecipient(text: string, detail: string | undefined): Verdict | undefined {
  if (isSpecific(detail)) return undefined;
  const inactive = firstOf([INACTIVITY_RULE], text, undefined);
  if (inactive) return inactive;
  if (ABOUT_MESSAGE_OR_SENDER.test(text) || firstOf(VETO_RULES, text, undefined)) return undefined;
  const stated = firstOf(STATED_RECIPIENT_RULES, text, undefined);
  const coded = preciseCause(detail);
  return stated && coded && HARD.has(coded) ? { name: coded, rule: `code.${detail}` } : stated;
}

function byStatus(detail: string | undefined, { code, words }: Answer): Verdict | undefined {
  const coded = preciseCause(detail);
  if (!coded) return undefined;
  // The text of the rejecting server takes precedence over a status that the notifying server generated.
  const worded = code === 0 ? undefined : byWords(words);
  return worded && worded.rule !== 'words.policy' ? worded : { name: coded, rule: `status.${detail}` };
}

function byWords(words: string, first: readonly BounceRule[] = []): Verdict | undefined {
  return [first, CIRCUMSTANCE_RULES, RECIPIENT_RULES, NETWORK_RULES, POLICY_RULES]
    .map(rules => firstOf(rules, words, undefined))
    .find(verdict => verdict !== undefined);
}

function byCode({ code }: Answer, detail: string | undefined): Verdict {
  const named = BY_CODE[code];
  if (named) return { name: named, rule: `code.${code}` };
  const vague = detail === undefined ? undefined : causeOf(detail);
  return vague ? { name: vague, rule: `status.${detail}` } : { name: 'other', rule: 'none' };
}

function firstOf(rules: readonly BounceRule[], text: string, detail: string | undefined): Verdict | undefined {
  const rule = rules.find(
    ({ words, code }) => words.test(text) && (code === undefined || detail === undefined || code.test(detail)),
  );
  if (!rule) return undefined;
  const { name, id, isSoft = false, advice } = rule;
  return { name, rule: id, isSoft, ...(advice === undefined ? {} : { advice }) };
}

/** Uses the code of the last server, otherwise the status, otherwise the action of the notification. */
function isLasting(status: string | undefined, { code, enhanced }: Answer, isFinal: boolean): boolean {
  const own = [code === 0 ? undefined : String(code)[0], enhanced?.[0]].filter(digit => digit !== undefined);
  if (own.length > 0) return own.every(digit => digit === '5');
  return status === undefined ? isFinal : status.startsWith('5');
}

/** A rejection of the message after RCPT was accepted is not about the address, unless its code is. */
function isAboutRecipient({ enhanced }: Answer, stage: RefusedStage | undefined): boolean {
  return (stage !== 'message' && stage !== 'data') || /^5\.1\.\d+$/.test(enhanced ?? '');
}
