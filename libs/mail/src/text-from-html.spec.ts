import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compile } from 'html-to-text';
import { textFromHtml } from './text-from-html.js';

describe('the text of an HTML body', () => {
  it('keeps words, links, lists and lines', () => {
    const html = `<html><head><title>no</title><style>p{}</style></head><body><h1>Reset</h1>
      <p>Hello&nbsp;Ada,<br>use <a href="https://example.com/r?a=1&amp;b=2">this link</a>.</p>
      <ul><li>one</li><li>two</li></ul><a href="https://example.com">https://example.com</a>
      <img src="https://example.com/logo.png" alt="Our logo"><script>alert(1)</script></body></html>`;
    expect(textFromHtml(html)).toBe(
      'Reset\n\nHello\u00a0Ada,\nuse this link [https://example.com/r?a=1&b=2].\n\n * one\n * two\n\nhttps://example.com Our logo',
    );
  });

  it.each([
    ['blanks and breaks', ' a \n b<br>c&nbsp; <br> d\u200be', 'a b\nc\u00a0\nd e'],
    ['distances', 'a<p>b</p><div>c</div>d<h1>e</h1><h4>f</h4>g', 'a\n\nb\n\nc\nd\n\n\ne\n\nf\n\ng'],
    ['quotations', '<blockquote><p>a</p><p>b<br>c</p></blockquote>d', '> a\n> \n> b\n> c\n\nd'],
    ['what is preformatted', '<pre> a\n  b </pre>c', ' a\n  b \n\nc'],
    ['rows', '<table><tr><th>Item<th>No.</tr><tr><td>Tea</td><td>2</td></tr></table>b', 'Item No.\nTea 2\n\nb'],
    ['cells with blocks', '<table><tr><td><p>a</p></td><td>b</td></tr><tr><td>c</td></tr></table>', 'a\n\nb\nc'],
    ['captions', '<table><caption>a</caption><tr><td>b</table><figure>c<figcaption>d</figure>', 'a\nb\n\nc\nd'],
    ['definitions', '<dl><dt>a</dt><dd>1</dd><dt>b</dt><dd>2</dd></dl>', 'a\n1\nb\n2'],
    ['addresses', '<center>a</center>b<address>c</address>d', 'a\nb\nc\nd'],
    ['neither a title nor a template', '<head><title>t</title></head>a<template>b</template>', 'a'],
    ['rules', 'a<hr>b', `a\n\n${'-'.repeat(40)}\n\nb`],
    ['links without words', '<a href="https://x.y/?a=1&amp;b"><img src="i"></a>', 'https://x.y/?a=1&b'],
    ['links beside each other', '<a href="a:y">Yes</a><a href="a:n">No</a>.', 'Yes [a:y] No [a:n].'],
    ['links as browsers read them', '<a href=" https://x.y/\n a\tb ">c</a>', 'c [https://x.y/ ab]'],
    ['mailboxes in any case', '<a href="MAILTO:help@x.test">help@x.test</a>', 'help@x.test'],
    ['nested tables', `${'<table><tbody><tr><td>'.repeat(28)}a`, 'a'],
    ['links to mailboxes and places', '<a href="mailto:a@b.c">us</a> <a href="#top">up</a>', 'us [a@b.c] up'],
    ['lists in lists', '<ol start="9"><li>a<li>b<ul><li>c<br>d</ul></ol>e', ' 9.  a\n 10. b\n     * c\n       d\n\ne'],
    ['letters and numerals', '<ol type="a" start="26"><li>z<li>aa</ol>', ' z.  z\n aa. aa'],
    ['numerals', '<ol type="I" start="1989"><li>a</ol><ol type="i" start="4"><li>b</ol>', ' MCMLXXXIX. a\n\n iv. b'],
    ['impossible numerals', '<ol type="i" start="5000"><li>a</ol>', ' 5000. a'],
    ['impossible starts', '<ol type="i" start="1e300"><li>a</ol><ol start="x"><li>b</ol>', ' i. a\n\n 1. b'],
    ['what stands around the body', 'a<title>t</title><div><body>b</body>c</div>d', 'b'],
    ['an end to depth', `${'<b>'.repeat(301)}a`, '…'],
    ['an end to numbers', `<p>${'<br>'.repeat(20_001)}</p>a`, `${'\n'.repeat(20_000)}…\n\na`],
  ])('has %s', (_, html, text) => {
    expect(textFromHtml(html)).toBe(text);
  });

  const long = 'x'.repeat(600_000);
  it.each([
    ['a long style sheet', `<style>.${long}{} .p{display:none}</style><i class="p">no</i>a`],
    ['a long script', `<script src="/x">"${long}"</SCRIPT >a`],
    ['a long comment', `<!-- ${long} -->a`],
    ['a long inline image', `<img src="data:image/png;base64,${long}" alt="">a`],
    ['a long inline image without quotes', `<img src=data:image/png;base64,${long}>a`],
    ['a long style sheet that does not end', `a<style>${long}`],
  ])('is complete in spite of %s', (_, html) => {
    expect(textFromHtml(html)).toBe('a');
  });

  it('is complete for a long receipt', () => {
    const rows = '<tr><td>Item</td><td>1.00 EUR</td></tr>'.repeat(4_000);
    expect(textFromHtml(`<table>${rows}</table><p>Total: 4000.00 EUR</p>`)).toMatch(/\n\nTotal: 4000\.00 EUR$/);
  });

  it.each(['<ul><li>x', '<b>', '<b></x>', '<div style="display:none">x'])(
    'takes little time for %s without an end',
    markup => {
      const before = process.cpuUsage();
      expect(textFromHtml(`Hi${markup.repeat(100_000)}`)).toMatch(/^Hi/);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(2_000);
    },
  );

  it('equals the output of html-to-text', () => {
    const words = fc.constantFrom(
      'a',
      ' b',
      'c ',
      ' ',
      '\n',
      ' d  e ',
      '&amp;',
      '&nbsp;',
      'x\u200by',
      '<!-- c -->',
      '',
    );
    const leaf = fc.oneof(
      words,
      fc.constantFrom('<br>', '<hr>', '<img alt="an image">', '<wbr>', '<script>s</script>'),
    );
    const link = fc
      .tuple(fc.constantFrom('https://x.y/z', 'a', '#a', 'mailto:a', ''), fc.array(words))
      .map(([href, inner]) => `<a href="${href}">${inner.join('')}</a>`);
    const heading = fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.array(fc.oneof(words, link)))
      .map(([level, inner]) => `<h${level}>${inner.join('')}</h${level}>`);
    const { node } = fc.letrec<{ node: string; inner: string }>(tie => ({
      node: fc.oneof({ maxDepth: 5, withCrossShrink: true }, leaf, link, heading, tie('inner')),
      inner: fc
        .tuple(
          fc.constantFrom('p', 'div', 'b', 'blockquote', 'pre', 'table', 'section', 'ul', 'ol', 'ol start=9 type=A'),
          fc.array(tie('node'), { maxLength: 5 }),
        )
        .map(([tag, nodes]) => {
          const inside = /^[uo]l/.test(tag) ? nodes.map(node => `<li>${node}</li>`) : nodes;
          return `<${tag}>${inside.join('')}</${tag.split(' ')[0]}>`;
        }),
    }));
    const convert = compile({
      wordwrap: false,
      formatters: { alternative: (element, _walk, builder) => builder.addInline(element.attribs['alt'] ?? '') },
      selectors: [
        { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
        { selector: 'img', format: 'alternative' },
        ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } })),
      ],
    });
    fc.assert(
      fc.property(fc.array(node), nodes => {
        const html = `<body>${nodes.join('')}</body>`;
        // html-to-text joins the target of a link with the words after it.
        const separated = convert(html).replace(/(?<= \[(?:https:\/\/x\.y\/z|a)\])(?=[\p{L}\p{N}[])/gu, ' ');
        expect(textFromHtml(html)).toBe(separated);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['a style attribute', '<span style="color: red; DISPLAY : NONE !important">Hi</span><p>Hi, Ada</p>'],
    ['a style attribute that ends so', '<div style="display:none">Hi<br><b>you</b></div><p>Hi, Ada</p>'],
    [
      'a class',
      '<style>p,.a{color:red}/* } */.preheader { display: none !important; }</style><i class="x preheader">Hi</i><p>Hi, Ada</p>',
    ],
    ['an id', '<style><!-- span#pre{display:none} --></style><span id="pre">Hi</span><p>Hi, Ada</p>'],
    [
      'a preheader style',
      '<div style="visibility:hidden;max-height:0;mso-hide:all">Hi&zwnj;&nbsp;&zwnj;</div><p>Hi, Ada</p>',
    ],
    ['a height of nothing', '<div style="max-height:0px; overflow: hidden">Hi</div><p>Hi, Ada</p>'],
    ['no opacity', '<span style="opacity:0.0">Hi</span><p>Hi, Ada</p>'],
    [
      'a rule of a class without height',
      '<style>.p{max-height:0;overflow:hidden}</style><i class=p>Hi</i><p>Hi, Ada</p>',
    ],
    ['the attribute hidden', '<div hidden>Hi <div>there</div></div><p>Hi, Ada</p>'],
    ['an element that is never closed', '<p>Hi, Ada</p><div style="display:none">Hi'],
  ])('omits content that %s hides', (_, html) => {
    expect(textFromHtml(html)).toBe('Hi, Ada');
  });

  it.each([
    ['only a media query hides', '<style>@media print { .x { display: none } } p{}</style><p class="x">Hi, Ada</p>'],
    ['a later rule shows', '<style>.x{display:none}.x{display:block}</style><p class="x">Hi, Ada</p>'],
    ['its own style shows', '<style>.x{display:none}</style><p class="x" style="display:block">Hi, Ada</p>'],
    ['only Outlook does not show', '<a style="mso-hide:all">Hi</a>, Ada'],
    ['has a height or is half transparent', '<p style="max-height:0.5em;overflow:hidden;opacity:0.5">Hi, Ada</p>'],
    ['is all there is', '<div style="display:none"><p>Hi, Ada</p></div>'],
  ])('keeps what %s', (_, html) => {
    expect(textFromHtml(html)).toBe('Hi, Ada');
  });

  it.each([
    ['deeply nested hidden elements', '<div style="display:none">'.repeat(5_000)],
    ['many rules', `<style>${'.a{display:none}'.repeat(8_000)}</style>`],
    ['unclosed comments and style sheets', '<!-<style'.repeat(50_000)],
    ['many inline images', '<img src="data:,">'.repeat(50_000)],
    ['many style sheets', '<style></style>'.repeat(50_000)],
    ['unclosed comments in a style sheet', `<style>${'/*display:none'.repeat(9_000)}</style>`],
    ['deeply nested elements', '<div>'.repeat(200_000)],
    ['deeply nested tables', '<table><tr><td>'.repeat(20_000)],
    ['deeply nested lists', '<ul><li>'.repeat(20_000)],
    ['unclosed tags', '<a href="'.repeat(50_000)],
    ['lonely brackets', '<'.repeat(500_000)],
    ['many blanks', ' '.repeat(500_000)],
    ['one long word', 'x'.repeat(5_000_000)],
    ['many entities', '&amp;'.repeat(100_000)],
    ['many siblings', '<p>x</p>'.repeat(60_000)],
  ])('is found in bounded time for %s', (_, html) => {
    // CPU time, because the machine may be busy; without limits it would take minutes.
    const before = process.cpuUsage().user;
    expect(textFromHtml(html).length).toBeLessThan(2_000_000);
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(10_000);
  });
});
