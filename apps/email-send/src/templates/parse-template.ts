/** A part of a parsed template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly path: readonly string[] }
  | {
      readonly kind: 'section';
      readonly path: readonly string[];
      /** Whether it is shown for an empty list or false, instead of for everything else. */
      readonly inverted: boolean;
      readonly nodes: readonly TemplateNode[];
    };

/** The template is not valid; the message says why. */
export class TemplateError extends Error {}

const TAG = /\{\{([\s\S]*?)\}\}/g;
const PATH = /^(?:\.|[A-Za-z_][A-Za-z0-9_]{0,63}(?:\.[A-Za-z_][A-Za-z0-9_]{0,63})*)$/;
const MAX_DEPTH = 8;

interface OpenSection {
  readonly name: string;
  readonly inverted: boolean;
  readonly nodes: TemplateNode[];
}

/**
 * Parses `{{variable}}`, `{{#section}}…{{/section}}`, `{{^inverted}}…{{/inverted}}` and `{{! comment }}`.
 * @throws TemplateError
 */
export function parseTemplate(source: string): readonly TemplateNode[] {
  const root: TemplateNode[] = [];
  const open: OpenSection[] = [];
  let end = 0;
  const add = (node: TemplateNode) => (open.at(-1)?.nodes ?? root).push(node);
  const addText = (text: string) => {
    if (text.includes('{{')) throw new TemplateError('a tag that begins with {{ is not closed with }}');
    if (text !== '') add({ kind: 'text', text });
  };
  for (const match of source.matchAll(TAG)) {
    const [tag, inside = ''] = match;
    addText(source.slice(end, match.index));
    end = match.index + tag.length;
    if (inside.startsWith('!')) continue;
    const [, sign = '', name = ''] = /^\s*([#^/&{>=]?)\s*([\s\S]*?)\s*$/.exec(inside) ?? [];
    if (sign === '{' || sign === '&') throw new TemplateError(`${shown(tag)}: values are always escaped; use {{name}}`);
    if (sign === '>' || sign === '=') throw new TemplateError(`${shown(tag)}: this kind of tag is not supported`);
    if (!PATH.test(name)) {
      throw new TemplateError(`${shown(tag)}: a name has letters, digits and _, and does not start with a digit`);
    }
    if (sign === '/') close(open, name, tag, add);
    else if (sign === '') add({ kind: 'variable', path: pathOf(name) });
    else open.push({ name, inverted: sign === '^', nodes: [] });
    if (open.length > MAX_DEPTH) throw new TemplateError(`sections may be ${MAX_DEPTH} deep`);
  }
  addText(source.slice(end));
  const unclosed = open.at(-1);
  if (unclosed) throw new TemplateError(`the section {{#${unclosed.name}}} is not closed with {{/${unclosed.name}}}`);
  return root;
}

function close(open: OpenSection[], name: string, tag: string, add: (node: TemplateNode) => unknown): void {
  const section = open.pop();
  if (section?.name !== name) {
    throw new TemplateError(section ? `${shown(tag)} closes {{#${section.name}}}` : `${shown(tag)} closes no section`);
  }
  add({ kind: 'section', path: pathOf(name), inverted: section.inverted, nodes: section.nodes });
}

/** The empty path is the current entry of a list. */
const pathOf = (name: string): readonly string[] => (name === '.' ? [] : name.split('.'));

const shown = (tag: string): string => (tag.length <= 60 ? tag : `${tag.slice(0, 60)}…`);

/** The variables that a message must give, and all that it may give. */
export function variablesOf(nodes: readonly TemplateNode[]): { required: Set<string>; known: Set<string> } {
  const required = new Set<string>();
  const known = new Set<string>();
  const visit = (inner: readonly TemplateNode[], isOutside: boolean) => {
    for (const node of inner) {
      if (node.kind === 'text') continue;
      const [name] = node.path;
      if (name !== undefined) known.add(name);
      if (name !== undefined && isOutside) required.add(name);
      if (node.kind === 'section') visit(node.nodes, false);
    }
  };
  visit(nodes, true);
  return { required, known };
}
