import { type Handler, Parser } from 'htmlparser2';

/** The parser takes quadratic time in the number of open elements. No template comes near this number. */
const MAX_OPEN_ELEMENTS = 1_000;

class TooDeep extends Error {}

/** Parses HTML until it is nested too deeply. @returns whether all of it was parsed. */
export function parseHtml(
  html: string,
  handler: Partial<Handler>,
  started: (parser: Parser) => void = () => {},
): boolean {
  let open = 0;
  const parser = new Parser({
    ontext: text => handler.ontext?.(text),
    oncomment: text => handler.oncomment?.(text),
    onprocessinginstruction: (name, data) => handler.onprocessinginstruction?.(name, data),
    onend: () => handler.onend?.(),
    onopentag(name, attributes, isImplied) {
      if (++open > MAX_OPEN_ELEMENTS) throw new TooDeep();
      handler.onopentag?.(name, attributes, isImplied);
    },
    onclosetag(name, isImplied) {
      open--;
      handler.onclosetag?.(name, isImplied);
    },
  });
  started(parser);
  try {
    parser.end(html);
    return true;
  } catch (error) {
    if (error instanceof TooDeep) return false;
    throw error;
  }
}
