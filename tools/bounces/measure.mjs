/**
 * Evaluates the bounce parser on a folder of mails: `npm run bounces -- --corpus DIR [--verdicts FILE] [--list]`.
 * FILE has the verdicts of another parser, one JSON object per line: {file, bounces: [{recipient, action, reason, hard}]}.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { classifyBounce, readInboundMail } from '@postern/mail';

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, verdicts: { type: 'string' }, list: { type: 'boolean', default: false } },
});
if (!values.corpus) {
  console.error('usage: npm run bounces -- --corpus DIR [--verdicts FILE] [--list]');
  process.exit(2);
}

const filesIn = folder =>
  readdirSync(folder, { recursive: true })
    .map(name => String(name))
    .filter(name => statSync(join(folder, name)).isFile())
    .sort();

/** The verdict of Postern's parser on one mail. */
const verdictOn = file => {
  const mail = readInboundMail(readFileSync(join(values.corpus, file)));
  if (mail.kind !== 'delivery_notification') {
    return { file, kind: mail.kind, why: mail.why ?? mail.feedbackType, recipients: [] };
  }
  const recipients = mail.perRecipient.map(report => {
    const { action, finalRecipient, originalRecipient, status, diagnostic, words } = report;
    const { type, name, rule } = classifyBounce({ status, text: diagnostic, words, isFinal: action === 'failed' });
    const addresses = [...(finalRecipient?.spellings ?? []), ...(originalRecipient?.spellings ?? [])];
    return { action, addresses, type, name, rule, status, diagnostic };
  });
  return { file, kind: mail.kind, why: mail.form, recipients };
};

const verdicts = filesIn(values.corpus).map(verdictOn);
const count = by => Object.fromEntries([...Map.groupBy(verdicts, by)].map(([key, all]) => [key, all.length]).sort());
const summary = { mails: verdicts.length, kinds: count(({ kind, why }) => `${kind} ${why}`) };
const share = (part, whole) => `${part} of ${whole} (${((100 * part) / Math.max(whole, 1)).toFixed(1)} %)`;

if (values.verdicts) {
  const others = new Map(
    readFileSync(values.verdicts, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
      .map(({ file, bounces }) => [file, bounces]),
  );
  const key = address => address.toLowerCase().replace(/^<|>$/g, '');
  const disagreements = [];
  const totals = { recognised: 0, decoded: 0, same: 0, failed: 0, hardHere: 0, inTerms: 0, complaints: 0, wrongly: 0 };
  // Two reasons that the other parser treats as soft although the reply describes a permanent state of the mailbox.
  const isClassificationDifference = ({ reason }, { type, name, rule }) =>
    type === 'hard' &&
    ((reason === 'filtered' && (name === 'unknown_user' || rule === 'code.2.1')) ||
      (reason === 'suspend' && ['mailbox_disabled', 'unknown_user'].includes(name)));
  for (const { file, kind, why, recipients } of verdicts) {
    const expected = others.get(file) ?? [];
    const bounces = expected.filter(({ reason }) => !['feedback', 'delivered', 'vacation'].includes(reason));
    const note = (what, details = {}) => disagreements.push({ file, what, ...details });
    if (expected.length > 0 && bounces.length === 0) {
      totals.complaints += 1;
      if (recipients.some(({ action }) => action === 'failed')) {
        totals.wrongly += 1;
        note('taken for a bounce', { reason: expected[0].reason });
      }
      continue;
    }
    if (bounces.length === 0) {
      if (recipients.some(({ action }) => action === 'failed'))
        note('bounce that the other reader does not see', { recipients });
      continue;
    }
    totals.decoded += 1;
    const ours = bounces.map(({ recipient }) =>
      recipients.find(({ addresses }) => addresses.some(address => key(address) === key(recipient))),
    );
    if (ours.every(Boolean)) totals.recognised += 1;
    else
      note('not recognised', {
        kind,
        why,
        theirs: bounces.map(b => b.recipient),
        ours: recipients.flatMap(r => r.addresses),
      });
    bounces.forEach((bounce, index) => {
      const own = ours[index];
      if (!own) return;
      if (own.action !== 'failed') {
        if (bounce.action !== 'delayed')
          note('action', { theirs: bounce.action, ours: own.action, reason: bounce.reason });
        return;
      }
      totals.failed += 1;
      const hard = bounce.hard === 1 || bounce.hard === true;
      if (hard === (own.type === 'hard')) totals.same += 1;
      else {
        if (own.type === 'hard') totals.hardHere += 1;
        if (isClassificationDifference(bounce, own)) totals.inTerms += 1;
        note(own.type === 'hard' ? 'hard here, soft there' : 'soft here, hard there', {
          theirs: bounce.reason,
          ours: own.name,
          rule: own.rule,
          status: own.status,
          words: own.diagnostic?.slice(0, 200),
        });
      }
    });
  }
  Object.assign(summary, {
    recognised: share(totals.recognised, totals.decoded),
    same_type: share(totals.same, totals.failed),
    same_type_but_for_terms: share(totals.same + totals.inTerms, totals.failed),
    hard_here_soft_there: totals.hardHere,
    complaints_taken_for_bounces: share(totals.wrongly, totals.complaints),
  });
  if (values.list) for (const entry of disagreements) console.log(JSON.stringify(entry));
} else if (values.list) for (const verdict of verdicts) console.log(JSON.stringify(verdict));
console.log(JSON.stringify(summary, null, 2));
