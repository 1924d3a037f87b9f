import { describe, expect, it } from '@jest/globals';
import { extended, type TarEntry, tarOf } from '../testing/tar-archive.js';
import { SourceArchive } from './source-archive.js';

const LIMITS = { bytes: 1_000_000, entries: 50 };

const refusalOf = (archive: Buffer, pieces = archive.length || 1): string | undefined => {
  const source = new SourceArchive(LIMITS);
  try {
    for (let at = 0; at < archive.length; at += pieces) source.write(archive.subarray(at, at + pieces));
    source.end();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
const refusalOfEntries = (...entries: readonly TarEntry[]) => refusalOf(tarOf(entries));
const file = (name: string, content = 'text'): TarEntry => ({ name, content });
const link = (name: string, target: string): TarEntry => ({ name, target, type: '2' });

describe('An archive of a source', () => {
  it.each<[string, readonly TarEntry[]]>([
    [
      'files and folders, with and without ./',
      [{ name: './', type: '5' }, { name: './a/', type: '5' }, file('./a/b'), file('c/d')],
    ],
    ['a folder twice, as tar -r writes it', [{ name: 'a', type: '5' }, { name: 'a/', type: '5' }, file('a/b')]],
    ['a long name in an extended header', [extended({ path: `${'a'.repeat(120)}/${'b'.repeat(120)}` }), file('short')]],
    [
      'a long name in a GNU header',
      [{ name: '././@LongLink', type: 'L', content: `${'a'.repeat(150)}\0` }, file('short')],
    ],
    [
      'a comment of git archive',
      [
        { name: 'pax_global_header', type: 'g', content: '52 comment=0123456789012345678901234567890123456789\n' },
        file('a'),
      ],
    ],
    ['names in any script', [file('größe/日本.txt')]],
    ['links inside', [file('a/b'), link('a/c', 'b'), link('a/d', '../a/b'), link('e', './a')]],
    ['a name with two dots in it', [file('a..b/...c')]],
    ['an empty file', [file('a', '')]],
  ])('may have %s', (_, entries) => {
    expect(refusalOfEntries(...entries)).toBeUndefined();
    expect(refusalOf(tarOf(entries), 7)).toBeUndefined();
  });

  it.each<[string, string, readonly TarEntry[]]>([
    ['an absolute path', '"/etc/passwd" is an absolute path', [file('/etc/passwd')]],
    ['a path that leads out', '"a/../../b" contains ..', [file('a/../../b')]],
    ['a path that leads out in an extended header', '"../b" contains ..', [extended({ path: '../b' }), file('a')]],
    ['a name twice', '"a" is in the archive more than once', [file('a'), file('a')]],
    ['a name twice in other words', '"./a//" is in the archive more than once', [file('a'), link('./a//', 'b')]],
    ['a file below a file', '"a/b" is below "a", which is a file', [file('a'), file('a/b')]],
    ['a file below a link', '"a/b" is below "a", which is a link', [link('a', 'c'), file('a/b')]],
    ['a file that is also a folder', '"a" is in the archive more than once', [file('a/b'), file('a')]],
    ['a link to an absolute path', 'a link to the absolute path "/etc"', [link('a', '/etc'), file('b')]],
    ['a link that leads out', '"../../b", which is outside the archive', [link('a/c', '../../b'), file('b')]],
    ['a link that leads out and in again', 'outside the archive', [link('a', '../x/../b'), file('b')]],
    [
      'a hard link',
      'is a hard link; pack it with tar --hard-dereference',
      [file('a'), { name: 'b', target: 'a', type: '1' }],
    ],
    ['a character device', '"a" is a device', [{ name: 'a', type: '3' }]],
    ['a block device', '"a" is a device', [{ name: 'a', type: '4' }]],
    ['a pipe', '"a" is a named pipe', [{ name: 'a', type: '6' }]],
    ['an unknown type', 'has the unknown type "Z"', [{ name: 'a', type: 'Z' }]],
    ['a link that hides content', 'has content, but is no file', [{ ...link('a', 'b'), content: 'x' }]],
    ['a sparse file', 'sparse', [extended({ 'GNU.sparse.major': '1' }), file('a')]],
    ['control characters', 'contains control characters', [file('a\nb')]],
    [
      'a name that is too long for a file system',
      'longer than 255 bytes',
      [extended({ path: 'é'.repeat(200) }), file('a')],
    ],
    [
      'names for all entries',
      'a global header sets names',
      [{ name: 'g', type: 'g', content: '10 path=a\n' }, file('a')],
    ],
    ['too many entries', 'more than 50 entries', Array.from({ length: 51 }, (_, at) => file(`f${at}`))],
    ['no files', 'contains no files', [{ name: 'a', type: '5' }]],
  ])('with %s is refused in words', (_, words, entries) => {
    expect(refusalOfEntries(...entries)).toContain(words);
  });

  it('that unpacks to more than the limit is refused before all of it is read', () => {
    const source = new SourceArchive(LIMITS);
    source.write(tarOf([{ ...file('bomb', ''), size: 0o7777777 }], Buffer.alloc(0)));
    expect(() => {
      for (;;) source.write(Buffer.alloc(100_000));
    }).toThrow(/unpacks to more than/);
  });

  it.each<[string, string, Buffer]>([
    ['nothing', 'it is empty', Buffer.alloc(0)],
    ['other bytes', 'a header is not valid', Buffer.from('hello'.repeat(300))],
    ['half a header', 'it ends early', tarOf([file('a')]).subarray(0, 300)],
    ['half a file', 'it ends early', tarOf([{ ...file('a'), size: 5_000 }], Buffer.alloc(0))],
    ['a size that is no number', 'a header is not valid', damagedSize('zzzzzzzzzzz')],
    ['a size in base 256', 'too large', damagedSize('\x80\0\0\0\0\0\0\0\0\0\x01')],
  ])('of %s is refused in words', (_, words, archive) => {
    expect(refusalOf(archive)).toContain(words);
  });
});

function damagedSize(text: string): Buffer {
  const archive = tarOf([file('a', '')]);
  archive.write(text, 124, 11, 'latin1');
  archive.fill(' ', 148, 156);
  const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return archive;
}
