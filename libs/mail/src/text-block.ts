/** White space of HTML, and the zero-width space, at which a line may break. */
const WHITE_SPACE = /[ \t\r\n\f\u200b]+/g;
const UNCOMMON_SPACE = /[\t\r\n\f\u200b]| {2}/;

/**
 * Builds a block of text from inline content. Line breaks separate the blocks within it; adjoining ones count once, as
 * margins do.
 */
export class TextBlock {
  /** The text up to the end of the last block within this one. */
  #before = '';
  /** The inline content after it. */
  #inline = '';
  #lineHasWords = false;
  #spaceIsDue = false;
  #breaksDue = 0;

  constructor(
    readonly parent: TextBlock | undefined,
    /** Line breaks before this block; those of its first block if they are more. */
    public leadingBreaks: number,
    /** Keeps white space. */
    readonly isPreformatted: boolean,
  ) {}

  get text(): string {
    return this.#before + this.#inline;
  }

  /** The line breaks after this block, at least `own`. */
  trailingBreaks(own: number): number {
    return Math.max(this.#breaksDue, own);
  }

  /** Adds inline content. @returns its words with single spaces between them; nothing in a preformatted block. */
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
    if (this.#lineHasWords && (this.#spaceIsDue || isSpace(content, 0))) this.#inline += ' ';
    this.#inline += words;
    this.#lineHasWords = true;
    this.#spaceIsDue = isSpace(content, content.length - 1);
    return words;
  }

  addLineBreak(): void {
    if (this.isPreformatted) this.#before += '\n';
    else this.#startLines(1);
  }

  /** Adds a finished block. */
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
  const text = UNCOMMON_SPACE.test(content) ? content.replace(WHITE_SPACE, ' ') : content;
  const start = text.charCodeAt(0) === 0x20 ? 1 : 0;
  const end = text.length > start && text.charCodeAt(text.length - 1) === 0x20 ? text.length - 1 : text.length;
  return text.slice(start, end);
}

function isSpace(content: string, at: number): boolean {
  const code = content.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b) || code === 0x200b;
}
