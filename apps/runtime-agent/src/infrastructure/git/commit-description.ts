import type { CommitDescription } from '@postern/runtime';

/** Prints the author and the subject of the fetched commit, each on a line. */
export const DESCRIBE_COMMIT = ['log', '-1', '--no-show-signature', '--encoding=UTF-8', '--format=%an%n%s', 'HEAD'];

const MAX_LENGTH = 200;

/** Parses the output of {@link DESCRIBE_COMMIT}; undefined for a commit without a message. */
export const commitDescription = (output: string): CommitDescription | undefined => {
  const [author = '', subject = ''] = output.split('\n').map(displayed);
  return subject === '' ? undefined : { subject, author };
};

/** Anybody who can push writes these texts: no control and direction characters, and a limited length. */
const displayed = (text: string): string => {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : plain;
};
