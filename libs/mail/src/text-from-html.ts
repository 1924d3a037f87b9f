import { withoutHiddenElements } from './hidden-elements.js';
import {
  type Attributes,
  newElement,
  newList,
  nextMark,
  type OpenElement,
  type OpenLink,
  type OpenList,
} from './open-element.js';
import { parseHtml } from './parse-html.js';
import { TextBlock } from './text-block.js';
import { visibleMarkup } from './visible-markup.js';

const MAX_INPUT = 512 * 1024;
const MAX_DEPTH = 300;
const MAX_CHILDREN = 20_000;
const ELLIPSIS = '…';
const RULE = '-'.repeat(40);

/** Line breaks before and after the block that an element is. */
const BREAKS = new Map<string, readonly [leading: number, trailing: number]>([
  ...['article', 'aside', 'div', 'footer', 'form', 'header', 'main', 'nav', 'section'].map(
    name => [name, [1, 1]] as const,
  ),
  ...['address', 'caption', 'center', 'dd', 'dl', 'dt', 'fieldset', 'figcaption', 'figure', 'option', 'tr'].map(
    name => [name, [1, 1]] as const,
  ),
  ...['blockquote', 'h4', 'h5', 'h6', 'p', 'pre', 'table'].map(name => [name, [2, 2]] as const),
  ...['h1', 'h2', 'h3'].map(name => [name, [3, 2]] as const),
]);

const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'template', 'title']);

/**
 * The plain text of an HTML body with its lines and link targets, without hidden elements. Only the first 512 Ki characters
 * of visible markup and 300 levels of elements are converted, which bounds the time for hostile markup; an ellipsis marks
 * both limits.
 */
export function textFromHtml(html: string): string {
  const { markup, styles } = html.length > MAX_INPUT ? visibleMarkup(html) : { markup: html, styles: '' };
  const input = markup.slice(0, MAX_INPUT);
  const visible = withoutHiddenElements(input, styles);
  // A body that scripts or media queries show would otherwise have no text at all.
  const text = converted(visible) || (visible === input ? '' : converted(input));
  return markup.length > MAX_INPUT ? `${text}\n\n${ELLIPSIS}` : text;
}

function converted(html: string): string {
  const writer = new TextWriter();
  const isWhole = parseHtml(html, {
    ontext: text => writer.ontext(text),
    oncomment: () => writer.oncomment(),
    onprocessinginstruction: () => writer.onprocessinginstruction(),
    onopentag: (name, attributes) => writer.onopentag(name, attributes),
    onclosetag: () => writer.onclosetag(),
    onend: () => writer.onend(),
  });
  if (!isWhole) writer.stop();
  return writer.text;
}

/** Receives the events of the parser and writes the visible text, with link targets in brackets. */
class TextWriter {
  #root = new TextBlock(undefined, 1, false);
  #block = this.#root;
  #element: OpenElement = newElement('', undefined, -1, false);
  readonly #document = this.#element;
  /** Links with a target around the current position, the innermost last. */
  #links: OpenLink[] = [];
  #pending = '';
  /** The block that ends with the target of a link in brackets. */
  #afterTarget: TextBlock | undefined;
  #body: OpenElement | undefined;
  #hasBody = false;

  get text(): string {
    return this.#root.text;
  }

  ontext(text: string): void {
    this.#pending += text;
  }

  oncomment(): void {
    this.#otherNode();
  }

  onprocessinginstruction(): void {
    this.#otherNode();
  }

  onopentag(name: string, attributes: Attributes): void {
    this.#flush();
    const parent = this.#element;
    parent.children++;
    if (name === 'body' && !this.#body && parent.depth < MAX_DEPTH) {
      this.#openBody(parent);
      return;
    }
    const isLeftOut = this.#leavesOut(parent);
    const itemMark = isLeftOut || !parent.list ? undefined : nextMark(parent.list, name);
    // An ellipsis in its parent, or as an item, marks an element that is nested too deeply.
    const isTooDeep = parent.depth >= MAX_DEPTH;
    const isSilent = isLeftOut || isTooDeep || SILENT.has(name);
    const element = newElement(name, parent, parent.depth + 1, isSilent, itemMark);
    this.#element = element;
    if (itemMark !== undefined) {
      this.#block = new TextBlock(this.#block, 1, this.#block.isPreformatted);
      if (isTooDeep) this.#addInline(ELLIPSIS);
    }
    if (!isSilent) this.#open(element, attributes);
  }

  onclosetag(): void {
    this.#flush();
    const element = this.#element;
    if (!element.isLeftOut) this.#close(element);
    if (element.itemMark !== undefined) this.#closeItem(element.parent!.list!, element.itemMark);
    if (element === this.#body) this.#body = undefined;
    this.#element = element.parent ?? this.#document;
  }

  onend(): void {
    this.#flush();
    if (!this.#hasBody) this.#markOverflow(this.#document);
  }

  /** Ends the text where the markup is nested too deeply. */
  stop(): void {
    while (this.#element !== this.#document) this.onclosetag();
    this.#addInline(ELLIPSIS);
    this.onend();
  }

  /** If there is a body, only its content is converted. */
  #openBody(parent: OpenElement): void {
    if (!this.#hasBody) {
      this.#hasBody = true;
      this.#root = new TextBlock(undefined, 1, false);
    }
    for (let around: OpenElement | undefined = parent; around; around = around.parent) {
      around.isLeftOut = true;
      around.itemMark = undefined;
    }
    this.#block = this.#root;
    this.#links = [];
    this.#body = newElement('body', parent, 0, false);
    this.#element = this.#body;
  }

  #leavesOut(parent: OpenElement): boolean {
    if (parent.isLeftOut || (this.#hasBody && !this.#body)) return true;
    return !parent.list && (parent.children > MAX_CHILDREN || parent.depth >= MAX_DEPTH);
  }

  #open(element: OpenElement, attributes: Attributes): void {
    const { name } = element;
    const breaks = BREAKS.get(name);
    if (breaks) {
      this.#block = new TextBlock(this.#block, breaks[0], name === 'pre' || this.#block.isPreformatted);
    } else if (name === 'a') {
      const target = linkTarget(attributes['href'] ?? '');
      if (target !== '' && !target.startsWith('#')) {
        element.link = { target, words: '' };
        this.#links.push(element.link);
      }
    } else if (name === 'br') {
      this.#block.addLineBreak();
      return;
    } else if (name === 'td' || name === 'th') {
      this.#addInline(' ');
    } else if (name === 'img') {
      this.#addInline(attributes['alt'] ?? '');
      return;
    } else if (name === 'hr') {
      const rule = new TextBlock(this.#block, 2, this.#block.isPreformatted);
      this.#block = rule;
      this.#addInline(RULE);
      this.#closeBlock(rule.text, 2);
      return;
    } else if (name === 'ul' || name === 'ol') {
      element.list = newList(element, attributes);
      this.#block = new TextBlock(this.#block, 2, this.#block.isPreformatted);
      return;
    }
    if (element.depth >= MAX_DEPTH && name !== 'wbr') this.#addInline(ELLIPSIS);
  }

  #close(element: OpenElement): void {
    const { name, list, link } = element;
    const breaks = BREAKS.get(name);
    this.#markOverflow(element);
    if (breaks) {
      const { text } = this.#block;
      this.#closeBlock(name === 'blockquote' ? quotedLines(text) : text, breaks[1]);
    } else if (link) {
      this.#links.pop();
      if (link.words === '') {
        this.#separate(link.target);
        this.#block.addInline(link.target);
      } else if (link.words !== link.target) {
        this.#block.addInline(` [${link.target}]`);
        this.#afterTarget = this.#block;
      }
    } else if (list) {
      this.#closeList(list);
    }
  }

  #closeBlock(text: string, trailingBreaks: number): void {
    const block = this.#block;
    this.#block = block.parent!;
    this.#block.addBlock(text, block.leadingBreaks, block.trailingBreaks(trailingBreaks));
  }

  #closeItem(list: OpenList, mark: string): void {
    list.items.push({ mark, block: this.#block });
    this.#block = this.#block.parent!;
  }

  /** Items are indented by the longest mark. */
  #closeList({ items, isNested }: OpenList): void {
    const block = this.#block;
    this.#block = block.parent!;
    let width = 0;
    for (const { mark } of items) width = Math.max(width, mark.length);
    const indent = `\n${' '.repeat(width)}`;
    for (const { mark, block: item } of items) {
      block.addBlock(
        mark.padEnd(width) + item.text.replaceAll('\n', indent),
        item.leadingBreaks,
        item.trailingBreaks(1),
      );
    }
    const { text } = block;
    if (text !== '') this.#block.addBlock(text, block.leadingBreaks, isNested ? 1 : 2);
  }

  #markOverflow({ children, list }: OpenElement): void {
    if (children > MAX_CHILDREN && !list) this.#addInline(ELLIPSIS);
  }

  /** Converts the text before another node. */
  #flush(): void {
    const text = this.#pending;
    if (text === '') return;
    this.#pending = '';
    const element = this.#element;
    element.children++;
    if (this.#leavesOut(element)) return;
    if (!element.list) this.#addInline(text);
    else if (/\S/.test(text)) this.#addItem(element, text);
  }

  #otherNode(): void {
    this.#flush();
    const element = this.#element;
    element.children++;
    if (element.list && !this.#leavesOut(element)) this.#addItem(element, '');
  }

  #addItem({ list, depth }: OpenElement, text: string): void {
    this.#block = new TextBlock(this.#block, 1, this.#block.isPreformatted);
    this.#addInline(depth >= MAX_DEPTH ? ELLIPSIS : text);
    this.#closeItem(list!, '');
  }

  #addInline(content: string): void {
    this.#separate(content);
    const words = this.#block.addInline(content);
    if (words === '' || this.#links.length === 0) return;
    const joined = words.replaceAll(' ', '');
    for (const link of this.#links) link.words += joined;
  }

  /** Between the target of a link in brackets and words beside it; without a blank, they would join. */
  #separate(content: string): void {
    if (content === '') return;
    if (this.#afterTarget === this.#block && /^[\p{L}\p{N}[]/u.test(content)) this.#block.addInline(' ');
    this.#afterTarget = undefined;
  }
}

/** Browsers remove line breaks and tabs inside an address, and blanks around it (URL standard). */
const linkTarget = (href: string): string =>
  href
    .replace(/[\t\r\n]/g, '')
    .trim()
    .replace(/^mailto:/i, '');

function quotedLines(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return `> ${text.slice(start, end).replaceAll('\n', '\n> ')}`;
}
