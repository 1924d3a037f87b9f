import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { type LinkSpot, linkTarget, quoted } from './html-attribute.js';

/** The tracking of one recipient's copy. */
export interface CopyTracking {
  /** The image that detects an open; absent if opens are not tracked. */
  readonly pixelUrl?: string;
  /** Returns the replacement URL of link number `n`; absent if clicks are not tracked. */
  readonly link?: (url: string, n: number) => string;
}

/** An HTML body that is scanned once, so that each copy is cheap to render. */
export interface TrackedHtml {
  /** The http(s) targets of the body's links, decoded, in order of appearance. */
  readonly links: readonly string[];
  /** Whether there are links marked as not to be tracked. */
  readonly hasMarks: boolean;
  /** The body with links replaced and the pixel added; all other characters are unchanged. */
  render(tracking: CopyTracking): string;
  /** The result of `render` in pieces: those with an even index are the same in all copies with this kind of tracking. */
  pieces(tracking: CopyTracking): string[];
}

/** The attribute of links that are never tracked; copies do not contain it. */
const MARK = 'data-postern-track';

/** Whether the HTML may contain links that are marked as not to be tracked. */
export const hasTrackingMarks = (html: string): boolean => html.toLowerCase().includes(MARK);

/**
 * Finds the `href` of `<a>` and `<area>` with an http(s) target, and the end of the body. Text that a browser does not show
 * as a link (comments, scripts, templates, unclosed tags) is unchanged.
 */
export function prepareTracking(html: string): TrackedHtml {
  const scan = new LinkScan(html);
  const tokenizer = new Tokenizer({ decodeEntities: false }, scan);
  tokenizer.write(html);
  tokenizer.end();

  const { spots, marks } = scan;
  /** In order of appearance; a mark has no link. */
  const edits: { start: number; end: number; link?: LinkSpot; n: number }[] = [
    ...spots.map((link, n) => ({ start: link.start, end: link.end, link, n })),
    ...marks.map(mark => ({ ...mark, n: -1 })),
  ].toSorted((one, other) => one.start - other.start);
  const pixelAt = scan.bodyEnd ?? html.length;
  const pieces = ({ pixelUrl, link }: CopyTracking): string[] => {
    const pixel = pixelUrl === undefined ? '' : pixelTag(pixelUrl);
    const out: string[] = [];
    let done = 0;
    let pixelIsDue = pixel !== '';
    const addPixel = (): void => {
      out.push(html.slice(done, pixelAt), pixel);
      done = pixelAt;
      pixelIsDue = false;
    };
    for (const { start, end, link: spot, n } of edits) {
      if (spot && !link) continue;
      if (pixelIsDue && pixelAt <= start) addPixel();
      out.push(html.slice(done, start), spot ? quoted(link!(spot.url, n), spot.quote) : '');
      done = end;
    }
    if (pixelIsDue && done <= pixelAt) addPixel();
    out.push(html.slice(done));
    return out;
  };
  return {
    links: spots.map(({ url }) => url),
    hasMarks: marks.length > 0,
    pieces,
    render: tracking => pieces(tracking).join(''),
  };
}

function pixelTag(url: string): string {
  return `<img src=${quoted(url, 'none')} width="1" height="1" alt="" style="display:block;border:0">`;
}

/** Receives the events of the tokenizer; all positions are character offsets into the HTML. */
class LinkScan implements TokenizerCallbacks {
  readonly spots: LinkSpot[] = [];
  /** Where attributes are that mark a link; they are removed. */
  readonly marks: { readonly start: number; readonly end: number }[] = [];
  bodyEnd: number | undefined;
  #tag = '';
  #isHref = false;
  #found: LinkSpot | undefined;
  #hadHref = false;
  #mark: { readonly start: number; value: string } | undefined;
  #isOff = false;
  #templates = 0;
  #foreign = 0;

  constructor(private readonly html: string) {}

  onopentagname(start: number, end: number): void {
    // No relevant tag has a longer name than "template".
    this.#tag = end - start <= 8 ? this.html.slice(start, end).toLowerCase() : '';
    this.#found = undefined;
    this.#hadHref = false;
    this.#mark = undefined;
    this.#isOff = false;
  }

  onattribname(start: number, end: number): void {
    this.#isHref =
      end - start === 4 &&
      !this.#hadHref &&
      (this.#tag === 'a' || this.#tag === 'area') &&
      this.html.slice(start, end).toLowerCase() === 'href';
    // If an attribute is repeated, a browser uses the first one.
    if (this.#isHref) this.#hadHref = true;
    const isMark = end - start === MARK.length && this.html.slice(start, end).toLowerCase() === MARK;
    this.#mark = isMark ? { start: this.#blankBefore(start), value: '' } : undefined;
  }

  /** The attribute is removed with the white space before it. */
  #blankBefore(start: number): number {
    let at = start;
    while (/[\s]/.test(this.html[at - 1] ?? '')) at -= 1;
    return at;
  }

  onattribdata(start: number, end: number): void {
    if (this.#mark) this.#mark.value += this.html.slice(start, end);
    if (!this.#isHref || this.#templates > 0) return;
    const url = linkTarget(this.html.slice(start, end));
    if (url !== undefined) this.#found = { start, end, url, quote: 'none' };
  }

  onattribend(_quote: unknown, end: number): void {
    if (this.#mark) {
      this.marks.push({ start: this.#mark.start, end });
      this.#isOff ||= this.#mark.value.trim().toLowerCase() === 'off';
      this.#mark = undefined;
    }
    if (!this.#isHref) return;
    this.#isHref = false;
    if (!this.#found) return;
    const before = this.html[this.#found.start - 1];
    const quote = before === '"' ? 'double' : before === "'" ? 'single' : 'none';
    this.#found = { ...this.#found, quote };
  }

  onopentagend(): void {
    if (this.#found && !this.#isOff) this.spots.push(this.#found);
    if (this.#tag === 'template') this.#templates++;
    else if (this.#tag === 'svg' || this.#tag === 'math') this.#foreign++;
  }

  onselfclosingtag(): void {
    if (this.#found && !this.#isOff) this.spots.push(this.#found);
    // In HTML only foreign elements are self-closing.
    if (this.#tag === 'template') this.#templates++;
  }

  onclosetag(start: number, end: number): void {
    const name = end - start <= 8 ? this.html.slice(start, end).toLowerCase() : '';
    if (name === 'body' && this.#templates === 0) this.bodyEnd = start - 2;
    else if (name === 'template' && this.#templates > 0) this.#templates--;
    else if ((name === 'svg' || name === 'math') && this.#foreign > 0) this.#foreign--;
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0;
  }

  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  ontextentity(): void {}
}
