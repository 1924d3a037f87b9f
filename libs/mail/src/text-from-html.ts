import { compile } from 'html-to-text';

const MAX_INPUT = 128 * 1024;
const MAX_DEPTH = 100;

const convert = compile({
  wordwrap: false,
  limits: { ellipsis: '…', maxDepth: MAX_DEPTH, maxChildNodes: 20_000, maxInputLength: MAX_INPUT },
  formatters: {
    alternative: (element, _walk, builder) => {
      const alt: unknown = element.attribs?.alt;
      if (typeof alt === 'string' && alt !== '') builder.addInline(alt);
    },
  },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'alternative' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } })),
  ],
});

/**
 * The plain-text version of an HTML body: words, line structure and link targets. Bounded for hostile input: only
 * the first 128 Ki characters count (parsing takes quadratic time in the depth of nesting), and elements nested
 * deeper than 100 are left out; an ellipsis stands for what is missing.
 */
export function textFromHtml(html: string): string {
  return html.length > MAX_INPUT ? `${convert(html.slice(0, MAX_INPUT))}\n\n…` : convert(html);
}
