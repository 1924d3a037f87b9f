import { addressKey, type BounceName, meaningOf } from '@postern/mail';
import { boundedText } from './bounded-text.js';
import type { BounceClassification } from './signal.js';

/** A rule of the owner of an email service about replies of receiving servers; all its conditions must match. */
export interface OwnBounceRule {
  readonly id: string;
  /** As `comparableText` returns it. */
  readonly phrase: string;
  readonly cause: BounceName;
  /** In lower case and A-labels; any domain if null. */
  readonly domain: string | null;
  /** `550` or `5.7.1`; any code if null. */
  readonly statusCode: string | null;
}

interface OwnClass {
  readonly bounceType: 'hard' | 'soft';
  readonly classification: BounceClassification;
}

const MAX_REPLY = 1_000;
/** A rule is deleted and created again, never changed. */
const VERSION = 1;

/** The class of a bounce by the first rule that matches; undefined if none does. */
export function classifyByOwnRules(
  rules: readonly OwnBounceRule[],
  address: string,
  reply: string,
): OwnClass | undefined {
  const rule = rules.length === 0 ? undefined : rules.find(candidate => matches(candidate, address, reply));
  if (!rule) return undefined;
  const { type: bounceType, advice } = meaningOf(rule.cause);
  return {
    bounceType,
    classification: { name: rule.cause, rule: ownRuleId(rule.id), rules_version: VERSION, advice },
  };
}

/** Whether all conditions of a rule match the reply to the copy for an address. */
export function matches({ phrase, domain, statusCode }: OwnBounceRule, address: string, reply: string): boolean {
  const text = comparableText(reply);
  return (
    text.includes(phrase) &&
    (domain === null || addressKey(address).endsWith(`@${domain}`)) &&
    (statusCode === null || codesIn(text).includes(statusCode))
  );
}

/** In lower case, with single spaces. */
export const comparableText = (text: string): string => boundedText(text, MAX_REPLY).toLowerCase().replace(/\s+/g, ' ');

const OWN = 'own.';
const ownRuleId = (id: string): string => `${OWN}${id}`;

/** Whether an owner's rule classified a bounce. */
export const isOwnRule = ({ rule }: Pick<BounceClassification, 'rule'>): boolean => rule.startsWith(OWN);

/** `550-5.7.1 blocked.` has the codes 550 and 5.7.1. */
const codesIn = (text: string): readonly string[] => text.split(/[^\d.]+/).map(code => code.replace(/\.$/, ''));
