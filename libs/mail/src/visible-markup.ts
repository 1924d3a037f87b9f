/** HTML without the parts that can be long and have no visible text, and the style sheets among these parts. */
export interface VisibleMarkup {
  readonly markup: string;
  readonly styles: string;
}

/** The start of a comment, a style sheet, a script, or an attribute with inline data such as an image. */
const START = /<!--|<(?:style|script)(?=[\s>/])|=["']?data:/gi;
const DATA = /[^"'\s>]*/y;

/** Removes comments, style sheets, scripts and inline data. One that does not end reaches to the end of the HTML, as in browsers. */
export function visibleMarkup(html: string): VisibleMarkup {
  let markup = '';
  let styles = '';
  let from = 0;
  for (let start = nextStart(html, 0); start; start = nextStart(html, from)) {
    const text = start[0].toLowerCase();
    markup += html.slice(from, start.index);
    const contentFrom = start.index + text.length;
    if (text.startsWith('=')) {
      DATA.lastIndex = contentFrom;
      from = contentFrom + (DATA.exec(html)?.[0].length ?? 0);
      markup += text.slice(0, -'data:'.length);
    } else {
      const [contentTo, to] = endOf(html, text, contentFrom);
      if (text === '<style') styles += `${html.slice(html.indexOf('>', contentFrom) + 1, contentTo)}\n`;
      from = to;
    }
  }
  return { markup: markup + html.slice(from), styles };
}

function nextStart(html: string, from: number): RegExpExecArray | null {
  START.lastIndex = from;
  return START.exec(html);
}

/** Where the content ends, and where the markup continues. */
function endOf(html: string, start: string, from: number): [contentTo: number, to: number] {
  if (start === '<!--') {
    const end = html.indexOf('-->', from);
    return end < 0 ? [html.length, html.length] : [end, end + 3];
  }
  const close = new RegExp(`</${start.slice(1)}(?=[\\s>/])`, 'gi');
  close.lastIndex = from;
  const end = close.exec(html)?.index ?? html.length;
  const bracket = html.indexOf('>', end);
  return [end, bracket < 0 ? html.length : bracket + 1];
}
