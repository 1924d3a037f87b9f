import { UsageError } from '../errors.js';

/** The value of a variable of the environment, or of `.env`. */
export type Lookup = (name: string) => string | undefined;

export interface Interpolation {
  readonly text: string;
  /** Whether the text contains a value that is not in the file. */
  readonly external: boolean;
  /** Variables that have no value; they are empty, as in Compose. */
  readonly unset: readonly string[];
}

const MAX_DEPTH = 10;

/** Replaces `$NAME`, `${NAME}` and the forms with `-`, `?` and `+`; `$$` is a dollar sign. @throws UsageError */
export const interpolation = (text: string, lookup: Lookup): Interpolation => {
  let external = false;
  const unset: string[] = [];
  const used = (value: string): string => {
    external = true;
    return value;
  };
  const expression = (content: string, depth: number): string => {
    const [, name, operator = '', argument = ''] = /^([A-Za-z_]\w*)(?:(:?[-?+])([\s\S]*))?$/.exec(content) ?? [];
    if (name === undefined || depth > MAX_DEPTH) throw new UsageError(`\${${content.slice(0, 40)}} is not supported`);
    const value = lookup(name);
    const given = value !== undefined && !(operator.startsWith(':') && value === '');
    if (operator.endsWith('+')) return given ? replaced(argument, depth + 1) : '';
    if (given) return used(value);
    if (operator.endsWith('-')) return replaced(argument, depth + 1);
    if (operator.endsWith('?'))
      throw new UsageError(`${name} has no value: ${replaced(argument, depth + 1) || 'it is required'}`);
    unset.push(name);
    return '';
  };
  const replaced = (part: string, depth: number): string => {
    let result = '';
    for (let at = 0; ; ) {
      const dollar = part.indexOf('$', at);
      if (dollar < 0) return result + part.slice(at);
      result += part.slice(at, dollar);
      const rest = part.slice(dollar + 1, dollar + 256);
      const [plain] = /^[A-Za-z_]\w*/.exec(rest) ?? [];
      if (rest.startsWith('$')) {
        result += '$';
        at = dollar + 2;
      } else if (plain !== undefined) {
        result += expression(plain, depth);
        at = dollar + 1 + plain.length;
      } else {
        const end = rest.startsWith('{') ? closingBrace(part, dollar + 2) : -1;
        if (end < 0) throw new UsageError('a $ is neither the beginning of a variable, nor written as $$');
        result += expression(part.slice(dollar + 2, end), depth);
        at = end + 1;
      }
    }
  };
  return { text: replaced(text, 0), external, unset };
};

const closingBrace = (text: string, from: number): number => {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('${', at)) open++;
    else if (text[at] === '}' && --open === 0) return at;
  }
  return -1;
};
