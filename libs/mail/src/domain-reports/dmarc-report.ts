import { Parser } from 'htmlparser2';
import { boundedSum, boundedText, domainName, isPlausible, REPORT_LIMITS } from './bounded-values.js';
import { DmarcSources } from './dmarc-sources.js';
import type { DomainReport } from './domain-report.js';

const MAX_DEPTH = 10;
const MAX_TEXT = 500;
const ROOT = 'feedback';
const WANTED = new Set([
  'policy_published/domain',
  'report_metadata/report_id',
  'report_metadata/date_range/begin',
  'report_metadata/date_range/end',
]);
const RECORD = 'feedback/record';

/** XML that is not an aggregate report. */
class NotAReport extends Error {}

/**
 * Reads an aggregate report (RFC 7489 appendix C). Undefined if the XML is not a report, is incomplete, is nested deeper
 * than a report, or has a document type, which could define entities.
 */
export function readDmarcReport(xml: string): DomainReport | undefined {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) return undefined;
  const scan = new DmarcScan();
  try {
    const parser = new Parser(scan, { xmlMode: true, decodeEntities: true });
    parser.write(xml);
    parser.end();
  } catch (error) {
    if (error instanceof NotAReport) return undefined;
    throw error;
  }
  return scan.isComplete ? reportOf(scan) : undefined;
}

function reportOf({ values, sources }: DmarcScan): DomainReport | undefined {
  const domain = domainName(values.get('policy_published/domain'));
  const reportId = boundedText(values.get('report_metadata/report_id'));
  const [beginsAt, endsAt] = ['begin', 'end'].map(
    name => new Date(Number(values.get(`report_metadata/date_range/${name}`) || Number.NaN) * 1_000),
  ) as [Date, Date];
  if (!domain || !reportId || !isPlausible(beginsAt) || !isPlausible(endsAt) || endsAt < beginsAt) return undefined;
  const all = sources.worstFirst();
  const passed = boundedSum(all.map(source => source.passed));
  const failed = boundedSum(all.map(source => source.failed));
  const kept = all.slice(0, REPORT_LIMITS.rows);
  return { kind: 'dmarc', domain, reportId, beginsAt, endsAt, passed, failed, sources: kept, failures: [] };
}

/** Collects the texts of a report by the path of their element, which has no namespace prefixes. */
class DmarcScan {
  /** Texts outside records, by their path below the root. */
  readonly values = new Map<string, string>();
  readonly sources = new DmarcSources();
  isComplete = false;
  readonly #path: string[] = [];
  #text = '';

  onopentagname(name: string): void {
    // The parser takes linear time for each element that it opens inside others.
    if (this.isComplete || this.#path.length === MAX_DEPTH) throw new NotAReport();
    this.#path.push(name.slice(name.indexOf(':') + 1).slice(0, 60));
    if (this.#path[0] !== ROOT) throw new NotAReport();
    this.#text = '';
  }

  ontext(text: string): void {
    if (this.#text.length < MAX_TEXT) this.#text += text.slice(0, MAX_TEXT);
  }

  onclosetag(_: string, isImplied: boolean): void {
    const path = this.#path.join('/');
    this.#path.pop();
    // A record without an end tag may be incomplete. The parser also implies the end of an empty element such as <a/>.
    if (isImplied && (path === ROOT || path === RECORD)) throw new NotAReport();
    if (path === ROOT) this.isComplete = true;
    else if (path === RECORD) this.sources.endRecord();
    else if (path.startsWith(`${RECORD}/`)) this.sources.add(path.slice(RECORD.length + 1), this.#text.trim());
    else this.#setValue(path.slice(ROOT.length + 1));
    this.#text = '';
  }

  #setValue(path: string): void {
    if (WANTED.has(path) && !this.values.has(path)) this.values.set(path, this.#text.trim());
  }
}
