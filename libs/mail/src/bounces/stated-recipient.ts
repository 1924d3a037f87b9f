import type { BounceRule } from './bounce-rule.js';

/** Text that can only mean that the recipient does not exist or no longer receives mail, whatever the status code says. */
export const STATED_RECIPIENT_RULES: readonly BounceRule[] = [
  {
    id: 'stated.disabled',
    name: 'mailbox_disabled',
    words:
      /(?<!your |sender |sending )\b(?:account|mailbox|user|recipient) (?:@ )?(?:is |was |has been )?(?:disabled|deactivated|terminated|deleted|inactive|closed)\b|recipient address rejected\W{1,3}(?:user )?(?:inactive|disabled|deactivated)\b/i,
  },
  {
    id: 'stated.unknown',
    name: 'unknown_user',
    words:
      /(?<!sender |client |your )\b(?:no such|unknown|invalid|non-?existent)[ -](?:local |e-?mail )?(?:user|recipient|mail ?box|account|addressee)s?\b(?! (?:name|agent|limit))|(?<!sender |sending |your )\b(?:user|recipient|mail ?box|account|addressee)(?:'s)?(?: e-?mail)?(?: address)?:?(?: <?@>?:?)? ?(?:is |was |are )?(?:currently )?(?:unknown|not (?:found|known)|(?:does not|doesn't|no longer) exists?|non-?existent|marked as invalid)\b|not (?:in|on) (?:the |our )?(?:valid )?recipients? (?:list|table)/i,
  },
];

/** A mailbox that its provider closed because nobody uses it: a block of the mailbox, not of the sender. */
export const INACTIVITY_RULE: BounceRule = {
  id: 'stated.inactivity',
  name: 'mailbox_disabled',
  words:
    /(?<!your |sender )\b(?:account|mail ?box|user|address|recipient)\b[^.;]{0,60}(?:due to|because of|for) (?:\S+ ){0,2}inactivity\b/i,
};

/** A policy that the server names; it contradicts a code about the recipient. */
export const STATED_POLICY_RULE: BounceRule = {
  id: 'stated.policy',
  name: 'policy',
  words:
    /\bpolicy (?:error|violation|rejection|restrictions?|reasons?)\b|(?:violat\w+|due to|against|because of) (?:\S+ ){0,3}polic(?:y|ies)\b/i,
};

/** Words about the message or the sender, beside which a statement about a recipient does not count. */
export const ABOUT_MESSAGE_OR_SENDER =
  /\bspam\b|\bvirus|phish|malware|\bsender\b|\bmail from\b|\brelay|\bauthenticat|\blist(?:ed|ing) (?:at|in|by|on)\b/i;
