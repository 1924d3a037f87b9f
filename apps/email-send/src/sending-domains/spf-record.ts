import {
  leadsOutside,
  lookupFailed,
  OK,
  type RecordState,
  type ResolveTxt,
  type Verdict,
  withoutRootDot,
  wrong,
} from './domain-records.js';
import { addressRanges, type SpfRanges } from './spf-ranges.js';

const isSpf = (text: string): boolean => /^v=spf1( |$)/i.test(text);

/** RFC 7208 §4.6.4: receivers answer permerror to a policy that needs more lookups. */
const MAX_SPF_LOOKUPS = 10;

/** A mechanism or modifier of RFC 7208 §5 and §6. */
const TERM =
  /^(?:[+?~-]?(?:all|(?:include|exists):\S+|(?:a|mx)(?::[^/\s]+)?(?:\/\d{1,2})?(?:\/\/\d{1,3})?|ptr(?::\S+)?|ip4:[\d.]+(?:\/\d{1,2})?|ip6:[\da-f:.]+(?:\/\d{1,3})?)|[a-z][\w.-]*=\S*)$/;

interface SpfPolicy {
  /** Domains whose senders pass as well, in order, until `all` (RFC 7208 §5.1). */
  readonly includes: readonly string[];
  /** Includes with a qualifier other than pass. */
  readonly withoutPass: readonly string[];
  /** Replaces the policy when no mechanism matches and there is no `all` (RFC 7208 §6.1). */
  readonly redirect: string | undefined;
  /** Addresses that pass by themselves, as `ip4:` and `ip6:` name them. */
  readonly addresses: readonly string[];
  /** Terms that cost a receiver a lookup. */
  readonly lookups: number;
  /** The first term that is not SPF. */
  readonly syntaxError: string | undefined;
}

/** Reads an SPF record. Names and keywords are case-insensitive. */
function readSpf(text: string): SpfPolicy {
  const terms = text.trim().toLowerCase().split(/ +/).slice(1);
  const all = terms.findIndex(term => /^[+?~-]?all$/.test(term));
  const reached = all < 0 ? terms : terms.slice(0, all);
  const named = (pattern: RegExp) =>
    reached.flatMap(term => {
      const value = pattern.exec(term)?.[1];
      return value === undefined ? [] : [withoutRootDot(value)];
    });
  const redirect = all < 0 ? terms.map(term => /^redirect=(.+)$/.exec(term)?.[1]).find(host => host) : undefined;
  return {
    includes: named(/^\+?include:(.+)$/),
    withoutPass: named(/^[?~-]include:(.+)$/),
    redirect: redirect === undefined ? undefined : withoutRootDot(redirect),
    addresses: named(/^\+?(ip[46]:.+)$/),
    lookups: reached.filter(term => /^[+?~-]?(?:include:|exists:|(?:a|mx|ptr)(?:[:/]|$))/.test(term)).length,
    syntaxError: terms.find(term => term !== '' && !TERM.test(term)),
  };
}

/** The single SPF record among the texts, or the problem with their number (RFC 7208 §4.5). */
function singleSpf(texts: readonly string[], name: string): string | Verdict {
  const policies = texts.filter(isSpf);
  if (policies.length > 1) {
    return wrong(`${name} has ${policies.length} SPF records; merge them into one, or every SPF check fails`);
  }
  return policies[0] ?? wrong(`${name} has no TXT record that starts with v=spf1`);
}

/**
 * Checks whether the SPF policy of the domain permits the platform's hosts: directly, through includes, or by listing
 * their addresses. A policy that permits them but that receivers cannot evaluate is right, with a problem as a warning.
 */
export async function checkSpf(domain: string, spfHost: string, resolveTxt: ResolveTxt): Promise<RecordState> {
  const host = spfHost.toLowerCase();
  const state = (found: readonly string[] | null, { ok, problem }: Verdict): RecordState => ({
    purpose: 'spf',
    name: domain,
    found,
    ok,
    problem,
  });
  const answer = await resolveTxt(domain);
  if (answer.kind === 'unavailable') return state(null, lookupFailed(domain, answer.reason));
  if (answer.kind === 'refused') return state([], leadsOutside(domain));
  const texts = answer.kind === 'found' ? answer.texts : [];
  const found = texts.filter(isSpf);
  const text = singleSpf(texts, domain);
  if (typeof text !== 'string') return state(found, text);
  const policies = await readPolicies(text, domain, resolveTxt, host);
  if (policies.failed) return state(null, policies.failed);
  const { permits, withoutPass, addresses } = policies;
  if (permits) return state(found, permerrorOf(policies) ?? OK);
  if (addresses.length > 0 && (await listsAddressesOf(host, addresses, resolveTxt)))
    return state(found, permerrorOf(policies) ?? OK);
  return state(
    found,
    wrong(
      withoutPass
        ? `include:${host} must have no ~, - or ? in front and come before any "all"`
        : `the SPF record does not contain include:${host} before its "all"`,
    ),
  );
}

interface Policies {
  readonly permits: boolean;
  readonly withoutPass: boolean;
  readonly addresses: readonly string[];
  readonly lookups: number;
  readonly syntaxError: string | undefined;
  /** A name without an answer: its policy is unknown. */
  readonly failed?: Verdict;
}

/** The policy and those that it includes, with at most ten lookups. */
async function readPolicies(first: string, domain: string, resolveTxt: ResolveTxt, host: string): Promise<Policies> {
  const queue = [{ name: domain, text: first }];
  const seen = new Set<string>();
  let all: Policies = { permits: false, withoutPass: false, addresses: [], lookups: 0, syntaxError: undefined };
  while (queue.length > 0) {
    const { name, text } = queue.shift()!;
    const policy = readSpf(text);
    const next = policy.redirect === undefined ? policy.includes : [...policy.includes, policy.redirect];
    all = {
      permits: all.permits || next.includes(host),
      withoutPass: all.withoutPass || policy.withoutPass.includes(host),
      addresses: [...all.addresses, ...policy.addresses],
      lookups: all.lookups + policy.lookups + (policy.redirect === undefined ? 0 : 1),
      syntaxError: all.syntaxError ?? (policy.syntaxError && `"${policy.syntaxError}" in the SPF record of ${name}`),
    };
    for (const included of next.filter(each => !seen.has(each) && !each.includes('%') && each !== host)) {
      if (seen.size >= MAX_SPF_LOOKUPS) break;
      seen.add(included);
      const answer = await resolveTxt(included);
      // The policy of a name without an answer is unknown, and waiting for more names could take minutes.
      if (answer.kind === 'unavailable' && !all.permits)
        return { ...all, failed: lookupFailed(included, answer.reason) };
      if (answer.kind !== 'found') continue;
      const record = singleSpf(answer.texts, included);
      if (typeof record === 'string') queue.push({ name: included, text: record });
    }
  }
  return all;
}

/** What makes receivers answer permerror, which fails SPF for every message. */
function permerrorOf({ lookups, syntaxError }: Policies): Verdict | undefined {
  if (syntaxError !== undefined) {
    return { ok: true, problem: `receivers answer permerror: they cannot read ${syntaxError}` };
  }
  return lookups <= MAX_SPF_LOOKUPS
    ? undefined
    : {
        ok: true,
        problem: `receivers answer permerror: the SPF record needs ${lookups} DNS lookups, and at most ${MAX_SPF_LOOKUPS} are allowed; remove includes that you do not use`,
      };
}

/** Whether the addresses cover those that the host permits (a flattened record). */
async function listsAddressesOf(host: string, listed: readonly string[], resolveTxt: ResolveTxt): Promise<boolean> {
  const answer = await resolveTxt(host);
  const text = answer.kind === 'found' ? singleSpf(answer.texts, host) : undefined;
  if (typeof text !== 'string') return false;
  const { permits, lookups, addresses } = await readPolicies(text, host, resolveTxt, host);
  // The addresses of "a" and "mx" terms can change at any time, so no list can cover them.
  const own = readSpf(text);
  if (permits || addresses.length === 0 || lookups > own.includes.length) return false;
  const ranges: SpfRanges = addressRanges(listed);
  return addresses.every(address => ranges.covers(address));
}
