import { DOMAIN_REPORTS_MAILBOX } from '@postern/contracts';

/** Why there are no records. `refused`: the name leads outside the public DNS, whose content is not disclosed to users. */
export type NoRecords =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** The result of a TXT lookup. A name without such records is `absent`; no answer is `unavailable`. */
export type TxtAnswer = { readonly kind: 'found'; readonly texts: readonly string[] } | NoRecords;

/** Where a host leads: the names of its CNAME records, and its addresses. */
export type HostAnswer =
  | { readonly kind: 'found'; readonly aliases: readonly string[]; readonly addresses: readonly string[] }
  | NoRecords;

/** The result of a CNAME lookup. */
export type CnameAnswer = { readonly kind: 'found'; readonly targets: readonly string[] } | NoRecords;

/** One record of a sending domain as a check read it. `found` is null when no server answered. */
export interface RecordState {
  readonly purpose: 'spf' | 'dkim' | 'dmarc' | OptionalPurpose;
  readonly name: string;
  readonly found: readonly string[] | null;
  readonly ok: boolean;
  readonly problem: string | null;
}

/** Records that improve a domain; its status does not depend on them. */
export type OptionalPurpose = 'dkim_ed25519' | 'return_path' | 'tracking';

const REQUIRED: readonly RecordState['purpose'][] = ['spf', 'dkim', 'dmarc'];

export const isOptional = ({ purpose }: Pick<RecordState, 'purpose'>): boolean => !REQUIRED.includes(purpose);

export interface Verdict {
  readonly ok: boolean;
  readonly problem: string | null;
}

export const OK: Verdict = { ok: true, problem: null };
export const wrong = (problem: string): Verdict => ({ ok: false, problem });

export const dkimRecordName = (selector: string, domain: string): string => `${selector}._domainkey.${domain}`;
export const dmarcRecordName = (domain: string): string => `_dmarc.${domain}`;
/** The return-path domain that the owner can point to the bounce domain, so that SPF aligns with From (RFC 7489 §3.1.2). */
export const returnPathName = (domain: string): string => `bounces.${domain}`;
export const spfValue = (spfHost: string): string => `v=spf1 include:${spfHost} ~all`;
/** Where receivers send DMARC and TLS reports. */
export const reportAddress = (bounceDomain: string): string => `${DOMAIN_REPORTS_MAILBOX}@${bounceDomain}`;
export const dmarcValue = (bounceDomain: string): string =>
  `v=DMARC1; p=none; rua=mailto:${reportAddress(bounceDomain)}`;

export interface ExpectedRecord<Purpose extends RecordState['purpose'] = 'spf' | 'dkim' | 'dmarc'> {
  readonly purpose: Purpose;
  readonly name: string;
  readonly value: string;
}

/** The records that a domain needs, those of the signing key before those of the next key. */
export const expectedRecords = (
  domain: string,
  spfHost: string,
  bounceDomain: string,
  keys: readonly { readonly selector: string; readonly record: string }[],
): ExpectedRecord[] => [
  { purpose: 'spf', name: domain, value: spfValue(spfHost) },
  ...keys.map(({ selector, record }) => ({
    purpose: 'dkim' as const,
    name: dkimRecordName(selector, domain),
    value: record,
  })),
  { purpose: 'dmarc', name: dmarcRecordName(domain), value: dmarcValue(bounceDomain) },
];

/** The optional records of a domain. */
export const optionalRecords = (
  domain: string,
  bounceDomain: string,
  keys: readonly { readonly selector: string; readonly record: string }[],
): ExpectedRecord<'dkim_ed25519' | 'return_path'>[] => [
  ...keys.map(({ selector, record }) => ({
    purpose: 'dkim_ed25519' as const,
    name: dkimRecordName(selector, domain),
    value: record,
  })),
  { purpose: 'return_path', name: returnPathName(domain), value: bounceDomain },
];

export const isDmarc = (text: string): boolean => /^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text);
/** The version of a DKIM record is optional (RFC 6376 §3.6.1). */
export const isDkim = (text: string): boolean => /^\s*v\s*=\s*DKIM1\b/.test(text) || /(^|;)\s*p\s*=/.test(text);

/** Checks whether the selector has exactly the key that signs; `expected` is the record that Postern generated. */
export function checkDkim(name: string, expected: string, answer: TxtAnswer): RecordState {
  const type = readTags(expected).get('k') ?? 'rsa';
  const state = stateOf(type === 'ed25519' ? 'dkim_ed25519' : 'dkim', name, answer);
  if (answer.kind === 'unavailable') return { ...state, ...lookupFailed(name, answer.reason) };
  if (answer.kind === 'refused') return { ...state, ...leadsOutside(name) };
  const keys = answer.kind === 'found' ? answer.texts.filter(isDkim) : [];
  const evaluate = (): Verdict => {
    const [text, another] = keys;
    if (text === undefined) return wrong(`${name} has no DKIM record`);
    if (another !== undefined) return wrong(`${name} has ${keys.length} DKIM records; only one is allowed`);
    const tags = readTags(text);
    const key = (tags.get('p') ?? '').replace(/\s/g, '');
    if (tags.has('v') && tags.get('v') !== 'DKIM1') return wrong(`${name} must begin with v=DKIM1`);
    if ((tags.get('k') ?? 'rsa') !== type)
      return wrong(`${name} has k=${tags.get('k') ?? 'rsa'}; it must be k=${type}`);
    if (key === '') return wrong(`${name} has an empty p=, which revokes the key`);
    const expectedKey = readTags(expected).get('p')!;
    if (key !== expectedKey) {
      return wrong(
        expectedKey.startsWith(key)
          ? `${name} has only the first ${key.length} of ${expectedKey.length} characters of the key`
          : `${name} has another public key`,
      );
    }
    const hashes = tags.get('h');
    if (hashes !== undefined && !listed(hashes, 'sha256')) return wrong(`${name} does not allow h=sha256`);
    const services = tags.get('s');
    if (services !== undefined && !listed(services, 'email') && !listed(services, '*')) {
      return wrong(`${name} does not allow s=email`);
    }
    return OK;
  };
  return { ...state, ...evaluate() };
}

/** Looks up TXT records; never throws because of the DNS. */
export type ResolveTxt = (name: string) => Promise<TxtAnswer>;

/**
 * Checks the DMARC policy that receivers apply (RFC 7489 §6.6.3): that of the domain or, if it has none, that of the
 * organizational domain. The name of the state is the name at which the policy was found.
 */
export async function checkDmarc(
  domain: string,
  organizationalDomain: string,
  resolveTxt: ResolveTxt,
): Promise<RecordState> {
  const own = dmarcRecordName(domain);
  const answer = await resolveTxt(own);
  const state = dmarcState(own, answer);
  if (organizationalDomain === domain || answer.kind === 'unavailable' || hasPolicy(answer)) return state;
  const parent = dmarcRecordName(organizationalDomain);
  const inherited = await resolveTxt(parent);
  if (inherited.kind === 'unavailable') return { ...state, found: null, ...lookupFailed(parent, inherited.reason) };
  return hasPolicy(inherited) ? dmarcState(parent, inherited) : state;
}

const hasPolicy = (answer: TxtAnswer): boolean => answer.kind === 'found' && answer.texts.some(isDmarc);

function dmarcState(name: string, answer: TxtAnswer): RecordState {
  const state = stateOf('dmarc', name, answer);
  if (answer.kind === 'unavailable') return { ...state, ...lookupFailed(name, answer.reason) };
  if (answer.kind === 'refused') return { ...state, ...leadsOutside(name) };
  const policies = answer.kind === 'found' ? answer.texts.filter(isDmarc) : [];
  const evaluate = (): Verdict => {
    const [text, another] = policies;
    if (text === undefined) return wrong(`${name} has no TXT record that starts with v=DMARC1`);
    if (another !== undefined) return wrong(`${name} has ${policies.length} DMARC records; only one is allowed`);
    const tags = readTags(text);
    const policy = tags.get('p')?.toLowerCase();
    if (policy !== undefined && ['none', 'quarantine', 'reject'].includes(policy)) return OK;
    // Receivers treat such a record as p=none if it asks for reports (RFC 7489 §6.6.3).
    if (/(^|,)\s*mailto:[^\s,@]+@[^\s,]+/i.test(tags.get('rua') ?? '')) return OK;
    return policy === undefined
      ? wrong(`${name} has no policy; add p=none, p=quarantine or p=reject`)
      : wrong(`${name} has p=${policy}; it must be none, quarantine or reject`);
  };
  return { ...state, ...evaluate() };
}

/** Checks whether the name is an alias of the host of return paths. */
export function checkReturnPath(name: string, host: string, answer: CnameAnswer): RecordState {
  const state = { purpose: 'return_path' as const, name };
  if (answer.kind === 'unavailable') return { ...state, found: null, ...lookupFailed(name, answer.reason) };
  if (answer.kind === 'refused') return { ...state, found: [], ...leadsOutside(name) };
  const found = answer.kind === 'found' ? answer.targets.map(target => withoutRootDot(target.toLowerCase())) : [];
  if (found.length === 0) return { ...state, found, ...wrong(`${name} has no CNAME record`) };
  const isAlias = found.length === 1 && found[0] === host.toLowerCase();
  return {
    ...state,
    found,
    ...(isAlias ? OK : wrong(`${name} is an alias of ${found.join(', ')}; it must be ${host}`)),
  };
}

/** `found` contains all records of the name, because only Postern's record may exist there. */
const stateOf = (purpose: 'dkim' | 'dkim_ed25519' | 'dmarc', name: string, answer: TxtAnswer) => ({
  purpose,
  name,
  found: answer.kind === 'unavailable' ? null : answer.kind === 'found' ? answer.texts : [],
});

export const leadsOutside = (name: string): Verdict =>
  wrong(
    `${name} is an alias of a name outside the public DNS, which is not looked up; publish the record at ${name} itself`,
  );

export const lookupFailed = (name: string, reason: string): Verdict => wrong(`could not look up ${name}: ${reason}`);

export const withoutRootDot = (host: string): string => host.replace(/\.$/, '');

const listed = (list: string, word: string): boolean => list.split(':').some(item => item.trim() === word);

function readTags(text: string): Map<string, string> {
  return new Map(
    text.split(';').flatMap(tag => {
      const at = tag.indexOf('=');
      return at < 0 ? [] : [[tag.slice(0, at).trim(), tag.slice(at + 1).trim()] as const];
    }),
  );
}
