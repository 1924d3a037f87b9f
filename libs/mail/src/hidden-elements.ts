import type { Parser } from 'htmlparser2';
import { parseHtml } from './parse-html.js';

const MAY_HIDE = /display\s*:\s*none|visibility\s*:\s*hidden|max-height\s*:\s*0|opacity\s*:\s*0|\shidden[\s=>/]/i;
const DISPLAY = /(?:^|[;{\s])display\s*:\s*([a-z-]+)/gi;
const INVISIBLE = /(?:^|[;{\s])(?:visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?![\d.]))/i;
/** Without height, and with nothing visible outside. */
const NO_HEIGHT = /(?:^|[;{\s])max-height\s*:\s*0(?![\d.]*[1-9])/i;
const CLIPPED = /overflow\s*:\s*hidden|max-width\s*:\s*0(?![\d.]*[1-9])|mso-hide\s*:\s*all/i;
const CLASS_OR_ID = /^[a-z0-9]*([.#][\w-]+)$/i;

/**
 * Removes elements that no reader sees, such as preheaders: with `display: none` (or another declaration that hides them) in
 * their style attribute or in a plain rule for their class or id, or with the attribute `hidden`. Rules inside `@media` do
 * not count, nor does `mso-hide` alone, which hides from Outlook only.
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
  let parser: Parser | undefined;
  const handler = {
    onopentag(name: string, attributes: Readonly<Record<string, string>>) {
      if (hiddenDepth > 0) hiddenDepth++;
      else if (isHidden(attributes, hiddenNames)) {
        visible += html.slice(visibleFrom, parser!.startIndex);
        hiddenDepth = 1;
      }
      inStyle = name === 'style';
    },
    ontext(text: string) {
      if (inStyle) styles += text;
    },
    onclosetag() {
      if (inStyle) readRules(styles, hiddenNames);
      if (inStyle) styles = '';
      inStyle = false;
      if (hiddenDepth > 0 && --hiddenDepth === 0) visibleFrom = parser!.endIndex + 1;
    },
  };
  const isWhole = parseHtml(html, handler, started => {
    parser = started;
  });
  if (!isWhole) return html;
  return visible + html.slice(visibleFrom);
}

function isHidden(attributes: Readonly<Record<string, string>>, hiddenNames: ReadonlySet<string>): boolean {
  const { style = '', class: classes = '', id = '' } = attributes;
  if (attributes['hidden'] !== undefined || displayOf(style) === 'none') return true;
  if (hiddenNames.size === 0 || displayOf(style) !== undefined) return false;
  return hiddenNames.has(`#${id}`) || classes.split(/\s+/).some(name => hiddenNames.has(`.${name}`));
}

/** `none` for declarations that hide an element, otherwise the last value of `display`. */
const displayOf = (declarations: string): string | undefined =>
  INVISIBLE.test(declarations) || (NO_HEIGHT.test(declarations) && CLIPPED.test(declarations))
    ? 'none'
    : [...declarations.matchAll(DISPLAY)].at(-1)?.[1]?.toLowerCase();

/** Reads the top-level rules of a style sheet whose selectors are a class or an id. */
function readRules(styles: string, hiddenNames: Set<string>): void {
  let depth = 0;
  let prelude = '';
  let declarations = '';
  for (const piece of styles.replace(/\/\*[\s\S]*?(?:\*\/|$)|<!--|-->/g, '').split(/([{};])/)) {
    if (piece === '{') depth++;
    else if (piece === '}') depth = Math.max(0, depth - 1);
    if (depth === 0) {
      if (!prelude.startsWith('@')) applyDisplay(displayOf(declarations), prelude, hiddenNames);
      declarations = '';
      prelude = /^[{};]$/.test(piece) ? '' : piece.trim();
    } else if (depth === 1 && piece !== '{') declarations += piece;
  }
  if (!prelude.startsWith('@')) applyDisplay(displayOf(declarations), prelude, hiddenNames);
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
