import type { Project } from './project.js';

/** Languages that are built only by a Dockerfile or by commands of the owner, with the files that tell them. */
const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/\.(?:cs|fs|vb)proj$|\.slnx?$/, '.NET'],
  [/^mix\.exs$/, 'Elixir'],
  [/^gleam\.toml$/, 'Gleam'],
  [/^pubspec\.yaml$/, 'Dart'],
  [/^Package\.swift$/, 'Swift'],
  [/^build\.sbt$/, 'Scala'],
  [/^(?:project\.clj|deps\.edn)$/, 'Clojure'],
  [/^(?:stack\.yaml|[\w-]+\.cabal)$/, 'Haskell'],
  [/^shard\.yml$/, 'Crystal'],
  [/^build\.zig$/, 'Zig'],
  [/^CMakeLists\.txt$/, 'C and C++'],
];

/** A file of the root folder that tells a language without a builder. */
export const otherLanguageOf = async (
  project: Project,
): Promise<{ readonly file: string; readonly language: string } | undefined> => {
  const files = await project.files('.', 0);
  for (const [pattern, language] of LANGUAGES) {
    const file = files.find(path => pattern.test(path));
    if (file !== undefined) return { file, language };
  }
  return undefined;
};
