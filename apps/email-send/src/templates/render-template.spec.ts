import { describe, expect, it } from '@jest/globals';
import { parseTemplate, TemplateError } from './parse-template.js';
import { renderTemplate, requiredVariables } from './render-template.js';

const render = (html: string, variables: Record<string, unknown> = {}) =>
  renderTemplate({ subject: 's', html, text: null }, variables, 'variables').html;

describe('A variable', () => {
  it('is replaced by text, a number, true or false', () => {
    expect(render('{{a}} {{ b }} {{c}}', { a: 'x', b: 4.5, c: false })).toBe('x 4.5 false');
  });

  it('is escaped in HTML, in text and in attributes', () => {
    const attack = `<script>alert("1" + '2')</script>&\`=`;
    const escaped = '&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt;&amp;&#96;&#61;';
    expect(render('<a title="{{a}}">{{a}}</a>', { a: attack })).toBe(`<a title="${escaped}">${escaped}</a>`);
  });

  it('is not escaped in the subject and in plain text', () => {
    const content = { subject: 'Hi {{a}}', html: '{{a}}', text: 'Dear {{a}}' };
    expect(renderTemplate(content, { a: 'A & B' }, 'variables')).toEqual({
      subject: 'Hi A & B',
      html: 'A &amp; B',
      text: 'Dear A & B',
    });
  });

  it('may be a field of an object', () => {
    expect(render('{{user.name.first}}', { user: { name: { first: 'Ada' } } })).toBe('Ada');
  });

  it('is never rendered again', () => {
    expect(render('{{a}}', { a: '{{b}}' })).toBe('{{b}}');
  });

  it.each<[string, string, Record<string, unknown>, RegExp]>([
    ['missing', '{{name}} {{total}}', { name: 'Ada' }, /^variables\.total: missing: "total"/],
    ['several missing', '{{a}} {{b}}', {}, /"a", "b"/],
    ['unknown', '{{name}}', { name: 'Ada', nmae: 'Ada' }, /^variables: the template has no variable "nmae"/],
    ['a missing field', '{{user.name}}', { user: {} }, /^variables\.user\.name: .*missing/],
    ['inherited', '{{constructor}}', {}, /"constructor"/],
    ['a field of a text', '{{a.length}}', { a: 'text' }, /^variables\.a\.length: .*missing/],
    ['an object', '{{a}}', { a: {} }, /^variables\.a: must be text/],
    ['a list', '{{a}}', { a: [] }, /^variables\.a: must be text/],
    ['null', '{{a}}', { a: null }, /^variables\.a: must be text/],
    ['missing in an entry', '{{#a}}{{b}}{{/a}}', { a: [{ b: 1 }, {}] }, /^variables\.a\[1\]\.b: .*missing/],
  ])('that is %s is refused by its name', (_, html, variables, message) => {
    expect(() => render(html, variables)).toThrow(message);
  });
});

describe('A section', () => {
  it('is rendered for each entry of a list, with what surrounds it', () => {
    const items = [
      { name: 'Tea', price: 3 },
      { name: 'Cake', price: 5 },
    ];
    expect(render('{{#items}}<li>{{name}} {{price}} {{currency}}</li>{{/items}}', { items, currency: '€' })).toBe(
      '<li>Tea 3 €</li><li>Cake 5 €</li>',
    );
    expect(render('{{#names}}{{.}},{{/names}}', { names: ['a', '<b>'] })).toBe('a,&lt;b&gt;,');
  });

  it.each<[unknown, string]>([
    [true, 'yes'],
    [false, 'no'],
    [[], 'no'],
    ['', 'yes'],
    [0, 'yes'],
    [{}, 'yes'],
  ])('is rendered or not for %j', (a, expected) => {
    expect(render('{{#a}}yes{{/a}}{{^a}}no{{/a}}', { a })).toBe(expected);
  });

  it('must be given, also as a condition', () => {
    expect(() => render('{{#a}}x{{/a}}')).toThrow('variables.a: missing');
  });

  it('that multiplies itself is refused', () => {
    const a = Array.from({ length: 1_000 }, () => true);
    expect(() => render('{{#a}}{{#a}}{{#a}}x{{/a}}{{/a}}{{/a}}', { a })).toThrow('too many steps');
    expect(() => render('{{#a}}{{b}}{{/a}}', { a, b: 'x'.repeat(100_000) })).toThrow('too large');
  });
});

describe('The syntax of a template', () => {
  it('has comments', () => {
    expect(render('a{{! a comment }}b')).toBe('ab');
  });

  it('leaves single braces alone', () => {
    expect(render('<style>a { color: red }</style> {x} }}')).toBe('<style>a { color: red }</style> {x} }}');
  });

  it.each([
    ['{{#a}}', 'the section {{#a}} is not closed'],
    ['{{/a}}', 'closes no section'],
    ['{{#a}}{{/b}}', '{{/b}} closes {{#a}}'],
    ['{{a', 'is not closed with }}'],
    ['{{{a}}}', 'values are always escaped'],
    ['{{&a}}', 'values are always escaped'],
    ['{{>a}}', 'not supported'],
    ['{{}}', 'a name has letters'],
    ['{{a b}}', 'a name has letters'],
    ['{{1a}}', 'a name has letters'],
    [`${'{{#a}}'.repeat(9)}${'{{/a}}'.repeat(9)}`, 'sections may be 8 deep'],
  ])('refuses %s', (source, message) => {
    expect(() => parseTemplate(source)).toThrow(TemplateError);
    expect(() => parseTemplate(source)).toThrow(message);
  });

  it('tells the variables of a version', () => {
    const content = { subject: '{{name}}', html: '{{#items}}{{price}}{{/items}}{{user.id}}', text: '{{footer}}' };
    expect(requiredVariables(content)).toEqual(['name', 'items', 'user', 'footer']);
  });
});
