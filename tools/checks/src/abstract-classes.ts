import { appOf, type Codebase, isSpec } from './codebase.js';
import type { Rule } from './rule.js';
import type { SourceFile } from './source-tree.js';

/** One without abstract methods is the type and the token of settings; one that extends another is a part of it. */
const abstractClassesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\babstract class (\w+) \{([\s\S]*?)\n\}/g)].flatMap(([, name = '', body = '']) =>
    /\babstract \w+(<[^>]*>)?\(/.test(body) ? [name] : [],
  );

/** Subclasses, and objects that tests use in the place of an instance. */
const implementationsOf = (name: string): RegExp =>
  new RegExp(String.raw`\b(?:extends|implements [\w, ]*|as|satisfies) ?${name}\b|: ${name} = \{`, 'g');

const implementationsIn = (files: readonly SourceFile[], name: string): number =>
  files.reduce((count, { text }) => count + [...text.matchAll(implementationsOf(name))].length, 0);

/** The files that may implement a class: of a library all, of an app its own and those of the simulation. */
const besides = (path: string, { files }: Codebase): readonly SourceFile[] =>
  appOf(path) === undefined
    ? files
    : files.filter(file => appOf(file.path) === appOf(path) || file.path.startsWith('tools/simulation/'));

export const ABSTRACT_CLASSES: Rule = {
  name: 'an abstract class has two implementations, or one and a fake; otherwise others use the class itself',
  governs: path => /^(apps|libs)\//.test(path) && !isSpec(path),
  violations: (file, codebase) =>
    abstractClassesIn(file.text)
      .filter(name => implementationsIn(besides(file.path, codebase), name) < 2)
      .map(name => `declares ${name}`),
};
