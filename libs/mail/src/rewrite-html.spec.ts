import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { prepareTracking } from './rewrite-html.js';

const pixel = '<img src="https://t.io/o/1" width="1" height="1" alt="" style="display:block;border:0">';
const track = (url: string, n: number) => `https://t.io/c/${n}?u=${encodeURIComponent(url)}&k='"<`;
const mark = (_: string, n: number) => `https://t.io/${n}`;

describe('the links of a tracked body', () => {
  it.each([
    ['<a href="https://x.io/">x</a>', '<a href="https://t.io/0">x</a>'],
    ["<A class=b HREF='http://x.io'>x</A>", "<A class=b HREF='https://t.io/0'>x</A>"],
    ['<a href=https://x.io/a?b>x</a>', '<a href="https://t.io/0">x</a>'],
    ['<a href = "https://x.io" >x</a>', '<a href = "https://t.io/0" >x</a>'],
    ['<a\nhref="\n https://x.io/a\nb "\n>x</a>', '<a\nhref="https://t.io/0"\n>x</a>'],
    ['<map><area href="https://x.io"/></map>', '<map><area href="https://t.io/0"/></map>'],
    [
      '<a href="https://a.io">1</a><a href="https://b.io">2</a>',
      '<a href="https://t.io/0">1</a><a href="https://t.io/1">2</a>',
    ],
    ['<a href="https://a.io" href="https://b.io">x</a>', '<a href="https://t.io/0" href="https://b.io">x</a>'],
    ['<a href="#top" href="https://b.io">x</a>', '<a href="#top" href="https://b.io">x</a>'],
    ['<a title="href=&quot;" href="https://x.io">x</a>', '<a title="href=&quot;" href="https://t.io/0">x</a>'],
    ['<a href="&#104;ttps://x.io">x</a>', '<a href="https://t.io/0">x</a>'],
    ['<svg><a href="https://x.io">x</a></svg>', '<svg><a href="https://t.io/0">x</a></svg>'],
    ['<![if !mso]><a href="https://x.io">x</a><![endif]>', '<![if !mso]><a href="https://t.io/0">x</a><![endif]>'],
    ['<a href="https://x.io/{{name}}">x</a>', '<a href="https://t.io/0">x</a>'],
  ])('are replaced in %s', (html, expected) => {
    expect(prepareTracking(html).render({ link: mark })).toBe(expected);
  });

  it.each([
    '<a href="mailto:a@x.io">x</a>',
    '<a href="tel:+49">x</a>',
    '<a href="/relative">x</a>',
    '<a href="//x.io">x</a>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://[bad">x</a>',
    '<a href="">x</a>',
    '<a href>x</a>',
    '<a name="https://x.io">x</a>',
    '<a data-href="https://x.io">x</a>',
    '<link href="https://x.io/style.css">',
    '<img src="https://x.io/i.png">',
    '<form action="https://x.io"></form>',
    '<!-- <a href="https://x.io">x</a> -->',
    '<!--[if mso]><a href="https://x.io">x</a><![endif]-->',
    '<script>var a = \'<a href="https://x.io">\';</script>',
    '<style>a{content:\'<a href="https://x.io">\'}</style>',
    '<title><a href="https://x.io">x</a></title>',
    '<textarea><a href="https://x.io">x</a></textarea>',
    '<template><a href="https://x.io">x</a></template>',
    '<svg><![CDATA[<a href="https://x.io">x</a>]]></svg>',
    '<a href="https://x.io"',
    '<a href="https://x.io',
    'https://x.io',
    '&lt;a href="https://x.io"&gt;',
    '',
  ])('are not recognized in %s, which is unchanged', html => {
    const tracked = prepareTracking(html);
    expect(tracked.links).toEqual([]);
    expect(tracked.render({ link: mark })).toBe(html);
  });

  it('are unchanged if their target has more than 4,096 percent-encoded characters', () => {
    const of = (path: string) => prepareTracking(`<a href="https://x.io/${path}">x</a>`).links.length;
    expect([of('a'.repeat(4_083)), of('a'.repeat(4_084))]).toEqual([1, 0]);
    expect([of('é'.repeat(680)), of('é'.repeat(681))]).toEqual([1, 0]);
  });

  it('are decoded as a browser decodes them', () => {
    const html = '<a href="https://x.io/?a=1&amp;b=2&copy=3&#x26;c=&quot;&eacute;">x</a>';
    expect(prepareTracking(html).links).toEqual(['https://x.io/?a=1&b=2&copy=3&c="é']);
  });

  it('are escaped for their quotes', () => {
    for (const html of ['<a href="https://x.io">x</a>', "<a href='https://x.io'>x</a>", '<a href=https://x.io>x</a>']) {
      expect(hrefs(prepareTracking(html).render({ link: track }))).toEqual([track('https://x.io', 0)]);
    }
  });
});

describe('the pixel of a tracked body', () => {
  it.each([
    ['<html><body><p>x</p></body></html>', `<html><body><p>x</p>${pixel}</body></html>`],
    ['<BODY>x</BODY >\n', `<BODY>x${pixel}</BODY >\n`],
    ['<body>x</body><body>y</body>', `<body>x</body><body>y${pixel}</body>`],
    ['<p>x</p>', `<p>x</p>${pixel}`],
    ['<body>x<!-- </body> -->', `<body>x<!-- </body> -->${pixel}`],
    ['<body><script>"</body>"</script></body>', `<body><script>"</body>"</script>${pixel}</body>`],
    ['', pixel],
  ])('is inserted into %s', (html, expected) => {
    expect(prepareTracking(html).render({ pixelUrl: 'https://t.io/o/1' })).toBe(expected);
  });

  it('is inserted even if there are links before and after the end of the body', () => {
    const html = '<a href="https://a.io">1</a></body><a href="https://b.io">2</a>';
    expect(prepareTracking(html).render({ pixelUrl: 'https://t.io/o/1', link: mark })).toBe(
      `<a href="https://t.io/0">1</a>${pixel}</body><a href="https://t.io/1">2</a>`,
    );
  });
});

describe('a tracked body', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<a href="https://x.io/?a&amp;b">',
      "<a href='http://y.io'>",
      '<a href=https://z.io>',
      '</a>',
      '</body>',
    ),
    fc.constantFrom(
      '<!--',
      '-->',
      '<script>',
      '</script>',
      '<template>',
      '</template>',
      '<a ',
      'href=',
      '"',
      "'",
      '>',
      '<',
      '&',
    ),
    fc.constantFrom(
      '<svg>',
      '</svg>',
      '<![CDATA[',
      ']]>',
      '<title>',
      '</title>',
      '<p>',
      '\0',
      '\ud800',
      '<area/href="https://q.io"/>',
    ),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  const html = fc.array(piece, { maxLength: 30 }).map(pieces => pieces.join(''));

  it.each([
    ['blanks in a link', `<a href="https://x.io/${' '.repeat(500_000)}b">`],
    ['blanks before a link', `<a href="${' '.repeat(500_000)}b">`],
    ['ampersands in a link', `<a href="https://x.io/${'&'.repeat(500_000)}">`],
    ['links', '<a href="https://x.io/?a&amp;b">x</a>'.repeat(20_000)],
    ['lonely brackets', '<'.repeat(1_000_000)],
    ['open comments', '<!--'.repeat(250_000)],
  ])('takes bounded time for many %s', (_, body) => {
    const before = process.cpuUsage().user;
    prepareTracking(body).render({ pixelUrl: 'https://t.io/o/1', link: mark });
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(2_000);
  });

  it('without tracking is unchanged, character by character', () => {
    fc.assert(
      fc.property(html, body => expect(prepareTracking(body).render({})).toBe(body)),
      { numRuns: 1_000 },
    );
  });

  it('has only its links changed, which lead to the same targets', () => {
    fc.assert(
      fc.property(html, body => {
        const tracked = prepareTracking(body);
        const seen: string[] = [];
        const rendered = tracked.render({
          link: (url, n) => {
            seen[n] = url;
            return `https://t.io/${n}`;
          },
        });
        expect(seen).toEqual(tracked.links);
        expect(prepareTracking(rendered).links).toEqual(tracked.links.map((_, n) => `https://t.io/${n}`));
        const remainder = (text: string) => text.replace(/"?https?:[^"'>\s]*"?/g, '');
        expect(remainder(rendered).length).toBe(remainder(body).length);
      }),
      { numRuns: 1_000 },
    );
  });
});

function hrefs(html: string): string[] {
  const found: string[] = [];
  const parser = new Parser({ onattribute: (name, value) => void (name === 'href' && found.push(value)) });
  parser.end(html);
  return found;
}

describe('a link that is marked with data-postern-track="off"', () => {
  const copy = (html: string, tracking: Parameters<ReturnType<typeof prepareTracking>['render']>[0]) =>
    prepareTracking(html).render(tracking);
  const link = (_: string, n: number) => `T${n}`;

  it.each([
    ['<a href="https://a.b/1" data-postern-track="off">x</a>', '<a href="https://a.b/1">x</a>'],
    ["<a data-postern-track='off' href=https://a.b/1>x</a>", '<a href=https://a.b/1>x</a>'],
    ['<a\n  DATA-POSTERN-TRACK=OFF\n  href="https://a.b/1">x</a>', '<a\n  href="https://a.b/1">x</a>'],
    ['<a href="https://a.b/1" data-postern-track="on">x</a>', '<a href="T0">x</a>'],
    ['<a href="https://a.b/1" data-postern-track>x</a>', '<a href="T0">x</a>'],
    ['<p data-postern-track="off"><a href="https://a.b/1">x</a></p>', '<p><a href="T0">x</a></p>'],
  ])('is left alone, without the mark: %s', (html, expected) => {
    expect(copy(html, { link })).toBe(expected);
  });

  it('is left alone beside others, and the mark is removed without click tracking too', () => {
    const html =
      '<a href="https://a.b/1">1</a><a href="https://a.b/2" data-postern-track="off">2</a><a href="https://a.b/3">3</a>';
    expect(copy(html, { link })).toBe('<a href="T0">1</a><a href="https://a.b/2">2</a><a href="T1">3</a>');
    expect(copy(html, {})).toBe(html.replace(' data-postern-track="off"', ''));
    expect(prepareTracking(html)).toMatchObject({ links: ['https://a.b/1', 'https://a.b/3'], hasMarks: true });
  });
});
