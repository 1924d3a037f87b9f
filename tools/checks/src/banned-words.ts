import type { TextFile } from './source-tree.js';

/** A banned word and its replacement. */
interface BannedWord {
  readonly pattern: RegExp;
  readonly use: string;
}

/** Capitalizes each alternative of a pattern. */
const capital = (pattern: string) =>
  pattern.replace(/(^|\|)(\(\?:)?([a-z])/g, (_, before: string, group = '', letter: string) =>
    [before, group, letter.toUpperCase()].join(''),
  );

/** What may separate two words of a text: a space, a hyphen, or the end of a comment line. */
const GAP = String.raw`(?:[ _-]|\s*\n\s*(?:\*|//)?\s*)?`;

/** Matches words joined in any way: `let go`, `letGo`, `LetGo`, `let-go`, `let_go`, `LET_GO`. */
const joined = (words: readonly string[], between: string): RegExp => {
  const [first = '', ...rest] = words;
  const others = rest.map(word => `${between}(?:${word}|${capital(word)})`).join('');
  const start = `(?:(?<![A-Za-z])${first}|${capital(first)})`;
  const upper = words.join('_').replace(/[a-z]+/g, text => text.toUpperCase());
  return new RegExp(`${start}${others}(?![a-z])|(?<![A-Z])${upper}(?![A-Z])`);
};

/** Banned in prose and in identifiers. Each word may be a regular expression over lower-case letters. */
const word = (text: string, use: string): BannedWord => ({ pattern: joined(text.split(' '), GAP), use });

/** Banned in identifiers and file names only: as separate words, they are ordinary English. */
const identifier = (text: string, use: string): BannedWord => ({ pattern: joined(text.split(' '), '[_-]?'), use });

/** Banned in prose. */
const phrase = (text: string, use: string): BannedWord => ({
  pattern: new RegExp(String.raw`\b(?:${text.replaceAll(' ', String.raw`\s+(?:(?:\*|//)\s+)?`)})\b`, 'i'),
  use,
});

/** Banned as the whole name of a variable, function, property or private member. */
const name = (text: string, use: string): BannedWord => ({
  pattern: new RegExp(String.raw`(?:#|\bthis\.|\b(?:const|let|function|async|readonly|static) )(?:${text})\b`),
  use,
});

export const BANNED_WORDS: readonly BannedWord[] = [
  word('(?:let|lets|letting) go', 'release, detach'),
  identifier('look (?:around|after|again)', 'reconcile, poll, check'),
  word('(?:stumble|stumbles|stumbled)', 'recordFailure'),
  identifier('may try', 'backoff'),
  word('smoothly', 'fast path'),
  identifier('smooth batch(?:es)?', 'fast path'),
  word('(?:day|route|code) book', 'DailyUsageRepository, RouteTable, VerificationCodes'),
  word('lane supplies', 'inject the dependencies, or split the class'),
  word('running parts', 'inject the dependencies, or split the class'),
  word('lane parts', 'inject the dependencies, or split the class'),
  word('lanes?', 'worker, concurrency limit, mutex, connection'),
  word('askers?', 'caller, requestContext'),
  name('ask|asks|asked|asking', 'request, get, query, call, load'),
  name('tell|tells|told|hear|hears|heard', 'send, notify, receive, received, events'),
  name('say|says|said|spoken', 'print, log, output, message'),
  name('looks?|looked', 'poll, reconcile, check'),
  identifier('words of', 'logLine, message, describeError'),
  word('(?:remark|remarks|remarked)', 'logLine, message'),
  word('(?:misfit|misfits)', 'incompatibilities'),
  word('turnstiles?', 'rateGate'),
  word('intruders?', 'attacker'),
  word('(?:hasten|hastens|hastened)', 'scheduleNow'),
  word('(?:reseal|reseals|resealed|resealing)', 'reencrypt'),
  word('standings', 'status, summary'),
  identifier('take over', 'failover'),
  word('(?:survey|surveys|surveyed)', 'scan'),
  word('(?:tidy|tidies|tidied|tidying)', 'cleanup'),
  word('(?:tend|tends|tended|tending)', 'supervise'),
  word('fates?', 'outcome'),
  word('doors?', 'API, entry point'),
  word('laws?', 'rule'),
  word('rooms', 'folders, layers'),
  word('ledgers?', 'records, counters'),
  identifier('stand ins?', 'fake, test server'),
  identifier('left behind', 'orphaned, leftovers'),
  identifier('(?:end|exit|failure|error|git|lock|step|memory|last|in) words', 'reason, message'),
  identifier('box (?:frame|mounts|programs|owner|request)', 'sandbox'),
  phrase('(?:a|each|every) box(?! of)', 'sandbox'),
  identifier('report couriers?', 'sender'),
  word('housekeeping', 'maintenance'),
  identifier('server keeper', 'supervisor'),
  word('obediently', 'with retries'),
  word('hopeless', 'permanent'),
  word('recipes?', 'plan'),
  word('wishes', 'setting, override, requirement'),
  phrase('(?:the|this|our|its) house', 'codebase'),
  phrase('of theirs', 'rewrite the sentence'),
  phrase('takes? (?:\\w+ )?for dead', 'considers failed'),
  phrase('over our head', 'rewrite the sentence'),
  phrase('(?:goes|going|go) on (?!to\\b)', 'continues'),
  phrase('whoever', 'the client, the caller, …'),
  phrase('what (?:it|they) (?:is|are) told', 'rewrite the sentence'),
  phrase('without a word', 'without reporting'),
  phrase('the long way', 'slow path'),
  phrase('open(?:s|ed)? the way to', 'allow connections to'),
  phrase('belongs? to nothing', 'orphaned'),
];

/** Published or stored names that cannot change. */
const KEPT: readonly { readonly name: RegExp; readonly reason: string }[] = [
  { name: /\breseal(?:-v|V)alues\b|\bresealed\b/g, reason: 'a request of every service, and a field of its reply' },
  { name: /\bweb_service_standings\w*/g, reason: 'a table of platform-management' },
  { name: /\breadonly asks\b/g, reason: 'a field of the published contract of a release' },
  { name: /`fate`|\bfate: outcome\.kind/g, reason: 'a label of the metric postern_tracking_signals_total' },
];
const withoutKept = (text: string) => KEPT.reduce((rest, { name }) => rest.replace(name, ''), text);

/** Files written by hand: sources, documents, settings and charts. */
export const WRITTEN_FILES = /(?<!\.d)\.(tsx?|mjs|cjs|md|json|ya?ml|tpl|css|html)$/;

/** Files that must contain the words, and generated or stored files. */
const NOT_CHECKED =
  /^tools\/checks\/src\/(banned-words|architecture\.spec)\.ts$|^CHANGELOG\.md$|(^|\/)package-lock\.json$|\/(fixtures|released)\/.*\.json$/;

/** Every use of a banned word: `path:line`, the word and its replacement. */
export const bannedWordsIn = (files: readonly TextFile[]): string[] =>
  files
    .filter(({ path }) => !NOT_CHECKED.test(path))
    .flatMap(({ path, text }) => {
      const inPath = BANNED_WORDS.filter(({ pattern }) => pattern.test(withoutKept(path))).map(
        ({ pattern, use }) => `${path} is named after "${pattern.exec(path)?.[0]}"; use ${use}`,
      );
      return [...inPath, ...bannedIn(withoutKept(text), path)];
    });

const bannedIn = (text: string, path: string): string[] =>
  BANNED_WORDS.flatMap(({ pattern, use }) =>
    [...text.matchAll(new RegExp(pattern.source, `g${pattern.flags}`))].map(match => {
      const line = text.slice(0, match.index).split('\n').length;
      return `${path}:${line} says "${match[0].replace(/\s+/g, ' ')}"; use ${use}`;
    }),
  );
