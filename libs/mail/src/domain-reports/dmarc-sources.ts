import { boundedCount, boundedSum, domainName, ipAddress } from './bounded-values.js';
import type { DmarcSource } from './domain-report.js';

const WANTED =
  /^(?:row\/(?:source_ip|count|policy_evaluated\/(?:disposition|dkim|spf))|auth_results\/(?:dkim|spf)\/(?:domain|result))$/;

/** Adds up the records of a report by source address. */
export class DmarcSources {
  readonly #sources = new Map<string, DmarcSource>();
  #record = new Map<string, string>();

  /** Adds a value of the record that is being read. */
  add(path: string, text: string): void {
    const authenticated = /^auth_results\/(dkim|spf)$/.exec(path)?.[1];
    if (WANTED.test(path)) this.#record.set(path, text);
    if (authenticated !== undefined) this.#endResult(`auth_results/${authenticated}`, authenticated);
  }

  /** A record has several results of DKIM and SPF; the first one that passes names its domain. */
  #endResult(path: string, method: string): void {
    const domain = domainName(this.#record.get(`${path}/domain`));
    const passes = isPass(this.#record.get(`${path}/result`));
    if (passes && domain !== undefined && !this.#record.has(method)) this.#record.set(method, domain);
    this.#record.delete(`${path}/domain`);
    this.#record.delete(`${path}/result`);
  }

  endRecord(): void {
    const record = this.#record;
    this.#record = new Map();
    const sourceIp = ipAddress(record.get('row/source_ip'));
    const messages = boundedCount(record.get('row/count'));
    if (sourceIp === undefined || messages === 0) return;
    const evaluated = (name: string) => record.get(`row/policy_evaluated/${name}`)?.toLowerCase();
    const dkimAligned = isPass(evaluated('dkim')) ? messages : 0;
    const spfAligned = isPass(evaluated('spf')) ? messages : 0;
    const passed = Math.max(dkimAligned, spfAligned);
    const disposition = evaluated('disposition');
    const [dkimDomain, spfDomain] = [record.get('dkim'), record.get('spf')];
    const added = {
      sourceIp,
      passed,
      failed: messages - passed,
      dkimAligned,
      spfAligned,
      quarantined: disposition === 'quarantine' ? messages : 0,
      rejected: disposition === 'reject' ? messages : 0,
      ...(dkimDomain === undefined ? {} : { dkimDomain }),
      ...(spfDomain === undefined ? {} : { spfDomain }),
    };
    const before = this.#sources.get(sourceIp);
    this.#sources.set(sourceIp, before ? merged(before, added) : added);
  }

  worstFirst(): DmarcSource[] {
    return [...this.#sources.values()].sort(
      (one, other) =>
        other.failed - one.failed || other.passed - one.passed || (one.sourceIp < other.sourceIp ? -1 : 1),
    );
  }
}

const isPass = (result: string | undefined): boolean => result?.toLowerCase() === 'pass';

/** Uses the domains of messages that fail, because these need advice. */
function merged(before: DmarcSource, added: DmarcSource): DmarcSource {
  const [first, second] = before.failed === 0 && added.failed > 0 ? [added, before] : [before, added];
  const sum = (name: 'passed' | 'failed' | 'dkimAligned' | 'spfAligned' | 'quarantined' | 'rejected') =>
    boundedSum([before[name], added[name]]);
  return {
    ...second,
    ...first,
    passed: sum('passed'),
    failed: sum('failed'),
    dkimAligned: sum('dkimAligned'),
    spfAligned: sum('spfAligned'),
    quarantined: sum('quarantined'),
    rejected: sum('rejected'),
  };
}
