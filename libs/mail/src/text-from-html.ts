import { compile, type FormatCallback } from 'html-to-text';
import { withoutHiddenElements } from './hidden-elements.js';

const MAX_INPUT = 128 * 1024;
const ELLIPSIS = '…';

/** Images stand for their alternative text; their addresses mean nothing to a reader. */
const alternativeText: FormatCallback = ({ attribs }, _walk, builder) => builder.addInline(attribs['alt'] ?? '');

/** The library's own lists, once the start is a number and Roman numerals can express it; it throws for some others. */
const boundedOrderedList: FormatCallback = (element, walk, builder, options) => {
  const { attribs } = element;
  const start = attribs['start'] === undefined ? 1 : Number(attribs['start']);
  if (!Number.isSafeInteger(start)) delete attribs['start'];
  const lastNumber = start + element.children.length;
  if (attribs['type'] && !(start >= 1 && lastNumber <= 3_999)) delete attribs['type'];
  builder.options.formatters['orderedList']?.(element, walk, builder, options);
};

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: 100, maxChildNodes: 20_000, ellipsis: ELLIPSIS },
  formatters: { alternativeText, boundedOrderedList },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'ol', format: 'boundedOrderedList' },
    { selector: 'img', format: 'alternativeText' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } })),
  ],
});

/**
 * The plain text of an HTML body with its lines and link targets, without hidden elements. Only the first 128 Ki characters
 * and 100 levels of elements are converted; an ellipsis marks both limits.
 */
export function textFromHtml(html: string): string {
  // The library warns on the console where its own limit cuts.
  const input = html.slice(0, MAX_INPUT);
  const visible = withoutHiddenElements(input);
  // A body that scripts or media queries show would otherwise have no text at all.
  const text = convert(visible) || (visible === input ? '' : convert(input));
  return html.length > MAX_INPUT ? `${text}\n\n${ELLIPSIS}` : text;
}
