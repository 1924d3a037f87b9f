import { Parser } from 'htmlparser2';

const MAY_HIDE = /display\s*:\s*none|\shidden[\s=>/]/i;
const DISPLAY = /(?:^|[;{\s])display\s*:\s*([a-z-]+)/gi;
const CLASS_OR_ID = /^[a-z0-9]*([.#][\w-]+)$/i;

/**
 * Removes elements that no reader sees, such as preheaders: with `display: none` in their style attribute or in a plain
 * rule for their class or id, or with the attribute `hidden`. Rules inside `@media` do not count.
 * @param styleSheets rules that apply besides those in the HTML.
 */
export function withoutHiddenElements(html: string, styleSheets = ''): string {
  if (!MAY_HIDE.test(html) && !MAY_HIDE.test(styleSheets)) return html;
  const hiddenNames = new Set<string>();
  readRules(styleSheets, hiddenNames);
  let styles = '';
  let inStyle = false;
  let hiddenDepth = 0;
  let visible = '';
  let visibleFrom = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (hiddenDepth > 0) hiddenDepth++;
      else if (isHidden(attributes, hiddenNames)) {
        visible += html.slice(visibleFrom, parser.startIndex);
        hiddenDepth = 1;
      }
      inStyle = name === 'style';
    },
    ontext(text) {
      if (inStyle) styles += text;
    },
    onclosetag() {
      if (inStyle) readRules(styles, hiddenNames);
      if (inStyle) styles = '';
      inStyle = false;
      if (hiddenDepth > 0 && --hiddenDepth === 0) visibleFrom = parser.endIndex + 1;
    },
  });
  parser.end(html);
  return visible + html.slice(visibleFrom);
}

function isHidden(attributes: Readonly<Record<string, string>>, hiddenNames: ReadonlySet<string>): boolean {
  const { style = '', class: classes = '', id = '' } = attributes;
  if (attributes['hidden'] !== undefined || displayOf(style) === 'none') return true;
  if (hiddenNames.size === 0 || displayOf(style) !== undefined) return false;
  return hiddenNames.has(`#${id}`) || classes.split(/\s+/).some(name => hiddenNames.has(`.${name}`));
}

/** The last declaration counts. */
const displayOf = (declarations: string): string | undefined =>
  [...declarations.matchAll(DISPLAY)].at(-1)?.[1]?.toLowerCase();

/** Reads the top-level rules of a style sheet whose selectors are a class or an id. */
function readRules(styles: string, hiddenNames: Set<string>): void {
  let depth = 0;
  let prelude = '';
  for (const piece of styles.replace(/\/\*[\s\S]*?(?:\*\/|$)|<!--|-->/g, '').split(/([{};])/)) {
    if (piece === '{') depth++;
    else if (piece === '}') depth = Math.max(0, depth - 1);
    if (depth === 0) prelude = /^[{};]$/.test(piece) ? '' : piece.trim();
    else if (depth === 1 && !prelude.startsWith('@')) applyDisplay(displayOf(piece), prelude, hiddenNames);
  }
}

function applyDisplay(display: string | undefined, selectors: string, hiddenNames: Set<string>): void {
  if (display === undefined) return;
  for (const selector of selectors.split(',')) {
    const name = CLASS_OR_ID.exec(selector.trim())?.[1];
    if (name === undefined) continue;
    if (display === 'none') hiddenNames.add(name);
    else hiddenNames.delete(name);
  }
}
