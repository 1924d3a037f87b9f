/** The blanks of HTML, and the zero-width space, which stands for a place to break a line. */
const BLANKS = /[ \t\r\n\f\u200b]+/g;
const UNCOMMON_BLANKS = /[\t\r\n\f\u200b]| {2}/;

/**
 * A block of text in the making: inline content becomes lines of words, blocks within it are set off by line breaks,
 * of which adjoining ones count once, as margins do.
 */
export class TextBlock {
  /** All before the last block within this one, that included. */
  #before = '';
  /** What came after it. */
  #inline = '';
  #lineHasWords = false;
  #spaceIsDue = false;
  #breaksDue = 0;

  constructor(
    readonly parent: TextBlock | undefined,
    /** Line breaks wanted before this block; more, where the first block in it wants more. */
    public leadingBreaks: number,
    /** Takes everything as it stands. */
    readonly isPreformatted: boolean,
  ) {}

  get text(): string {
    return this.#before + this.#inline;
  }

  /** The line breaks wanted behind this block, where it wants at least `own`. */
  trailingBreaks(own: number): number {
    return Math.max(this.#breaksDue, own);
  }

  /** Adds inline content; returns its words, a single blank between them, or nothing where it is preformatted. */
  addInline(content: string): string {
    if (this.isPreformatted) {
      this.#before += content;
      return '';
    }
    const words = reduced(content);
    if (content === '' || (words === '' && this.#breaksDue > 0)) return '';
    this.#startLines(this.#breaksDue);
    this.#breaksDue = 0;
    if (words === '') {
      this.#spaceIsDue = true;
      return '';
    }
    if (this.#lineHasWords && (this.#spaceIsDue || isBlank(content, 0))) this.#inline += ' ';
    this.#inline += words;
    this.#lineHasWords = true;
    this.#spaceIsDue = isBlank(content, content.length - 1);
    return words;
  }

  addLineBreak(): void {
    if (this.isPreformatted) this.#before += '\n';
    else this.#startLines(1);
  }

  /** Adds a block that is finished. */
  addBlock(text: string, leadingBreaks: number, trailingBreaks: number): void {
    const breaks = Math.max(this.#breaksDue, leadingBreaks);
    const before = this.text;
    if (before === '') this.leadingBreaks = breaks;
    this.#before = before === '' ? text : before + '\n'.repeat(breaks) + text;
    this.#inline = '';
    this.#lineHasWords = false;
    this.#breaksDue = trailingBreaks;
  }

  #startLines(count: number): void {
    if (count === 0) return;
    this.#inline += '\n'.repeat(count);
    this.#lineHasWords = false;
  }
}

function reduced(content: string): string {
  const text = UNCOMMON_BLANKS.test(content) ? content.replace(BLANKS, ' ') : content;
  const start = text.charCodeAt(0) === 0x20 ? 1 : 0;
  const end = text.length > start && text.charCodeAt(text.length - 1) === 0x20 ? text.length - 1 : text.length;
  return text.slice(start, end);
}

function isBlank(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b) || code === 0x200b;
}
