import { isJsonObject } from '@postern/contracts';
import { escapeHtmlAnywhere } from '@postern/mail';
import { invalidVariables } from './invalid-variables.js';
import { parseTemplate, type TemplateNode, variablesOf } from './parse-template.js';

/** The sources of one version. */
export interface TemplateContent {
  readonly subject: string;
  readonly html: string;
  readonly text: string | null;
}

export interface RenderedTemplate {
  readonly subject: string;
  readonly html: string;
  readonly text?: string;
}

type Variables = Readonly<Record<string, unknown>>;

/** Of all parts of one message together. */
const MAX_LENGTH = 5 * 1024 * 1024;
const MAX_STEPS = 200_000;

/**
 * Renders a version with variables; values are escaped in HTML. Refuses with `invalid_email`, whose message names the
 * variable, if one is missing, unknown or of the wrong type.
 * @param field the name of the variables in the request.
 */
export function renderTemplate(content: TemplateContent, variables: Variables, field: string): RenderedTemplate {
  const parts = { subject: parseTemplate(content.subject), html: parseTemplate(content.html) };
  const text = content.text === null ? undefined : parseTemplate(content.text);
  checkVariables([...parts.subject, ...parts.html, ...(text ?? [])], variables, field);
  const rendering = new Rendering(field);
  return {
    subject: rendering.render(parts.subject, variables, asGiven),
    html: rendering.render(parts.html, variables, escapeHtmlAnywhere),
    ...(text === undefined ? {} : { text: rendering.render(text, variables, asGiven) }),
  };
}

/** The variables that a version requires, in the order of their first use. */
export const requiredVariables = ({ subject, html, text }: TemplateContent): string[] => [
  ...variablesOf([subject, html, text ?? ''].flatMap(parseTemplate)).required,
];

function checkVariables(nodes: readonly TemplateNode[], variables: Variables, field: string): void {
  const { required, known } = variablesOf(nodes);
  const missing = [...required].filter(name => !Object.hasOwn(variables, name) || variables[name] === undefined);
  if (missing.length > 0) throw invalidVariables(`${field}.${missing[0]}`, `missing: ${listed(missing)}`);
  const unknown = Object.keys(variables).filter(name => !known.has(name));
  if (unknown.length > 0) {
    throw invalidVariables(field, `the template has no variable ${listed(unknown.map(name => name.slice(0, 80)))}`);
  }
}

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, 10).map(name => `"${name}"`);
  return `${shown.join(', ')}${names.length > shown.length ? ' and others' : ''}`;
};

/** A value of the innermost section, with those around it. */
interface Scope {
  readonly value: unknown;
  /** Its name in errors. */
  readonly name: string;
  readonly outer?: Scope;
}

interface Found {
  readonly value: unknown;
  readonly name: string;
}

class Rendering {
  #length = 0;
  #steps = 0;

  constructor(private readonly field: string) {}

  render(nodes: readonly TemplateNode[], variables: Variables, escaped: (text: string) => string): string {
    const pieces: string[] = [];
    this.#renderIn({ value: variables, name: this.field }, nodes, escaped, pieces);
    return pieces.join('');
  }

  #renderIn(scope: Scope, nodes: readonly TemplateNode[], escaped: (text: string) => string, pieces: string[]): void {
    for (const node of nodes) {
      if (++this.#steps > MAX_STEPS) throw invalidVariables(this.field, 'rendering the template takes too many steps');
      if (node.kind === 'section') {
        for (const inner of entriesOf(lookUp(scope, node.path), node.inverted, scope))
          this.#renderIn(inner, node.nodes, escaped, pieces);
        continue;
      }
      const piece = node.kind === 'text' ? node.text : escaped(textOf(lookUp(scope, node.path)));
      this.#length += piece.length;
      if (this.#length > MAX_LENGTH) throw invalidVariables(this.field, 'the rendered message is too large');
      pieces.push(piece);
    }
  }
}

/** The first name is looked up in the innermost section that has it; the others in the value that was found. */
function lookUp(scope: Scope, [first, ...rest]: readonly string[]): Found {
  if (first === undefined) return scope;
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    if (!has(at.value, first)) continue;
    let found: Found = { value: at.value[first], name: `${at.name}.${first}` };
    for (const name of rest) {
      if (!has(found.value, name)) throw missing(`${found.name}.${name}`);
      found = { value: found.value[name], name: `${found.name}.${name}` };
    }
    return found;
  }
  throw missing(`${scope.name}.${first}`);
}

const missing = (name: string) => invalidVariables(name, 'this variable of the template is missing');

const has = (value: unknown, name: string): value is Readonly<Record<string, unknown>> =>
  isJsonObject(value) && Object.hasOwn(value, name) && value[name] !== undefined;

/** A section is rendered for each entry of a list, and once for true, text, a number and an object. */
function entriesOf({ value, name }: Found, inverted: boolean, outer: Scope): readonly Scope[] {
  if (value === null) throw invalidVariables(name, 'must not be null; use false or an empty list');
  const isEmpty = value === false || (Array.isArray(value) && value.length === 0);
  if (inverted) return isEmpty ? [outer] : [];
  if (isEmpty) return [];
  if (Array.isArray(value))
    return value.map((entry: unknown, index) => ({ value: entry, name: `${name}[${index}]`, outer }));
  return isJsonObject(value) ? [{ value, name, outer }] : [outer];
}

function textOf({ value, name }: Found): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidVariables(name, 'must be text, a number, true or false');
}

const asGiven = (text: string): string => text;
