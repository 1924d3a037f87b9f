import { describe, expect, it } from '@jest/globals';
import { largeFilesNotFetched, submodulesNotFetched } from './not-fetched.js';
import type { Project } from './project.js';
import { projectOf } from './testing/project-of.js';

const notFetched = async (project: Project) => [
  ...(await submodulesNotFetched(project)),
  ...(await largeFilesNotFetched(project)),
];

describe('What is not fetched', () => {
  it('is listed: submodules by their paths, files of Git LFS by their patterns', async () => {
    const project = projectOf({
      '.gitmodules': '[submodule "a"]\n\tpath = lib/a\n\turl = https://example.org/a\n[submodule "b"]\n\tpath=b\n',
      '.gitattributes': '*.psd filter=lfs diff=lfs merge=lfs -text\n*.txt text\n',
    });
    expect(await notFetched(project)).toEqual([
      '.gitmodules found: the submodules lib/a, b are not fetched',
      '.gitattributes found: files of Git LFS (*.psd) are not fetched and stay pointers',
    ]);
  });

  it('is empty for a repository without submodules and files of Git LFS', async () => {
    expect(await notFetched(projectOf({ 'README.md': '' }))).toEqual([]);
  });
});
