import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** One step of an export, with the text of its lines. */
export interface ExportedLines {
  readonly lines: string;
  /** The start of the next step; null after the last one. */
  readonly next: string | null;
}

export interface ExportFile {
  readonly name: string;
  readonly contentType: string;
  /** The text before the first line. */
  readonly head: string;
  step(from: string | null): Promise<ExportedLines>;
}

/**
 * Responds with a file. The first step runs before the response begins, so that its failure results in an error
 * response.
 */
export const exportFile = async (file: ExportFile): Promise<StreamableFile> =>
  new StreamableFile(Readable.from(textOf(file, await file.step(null))), {
    type: file.contentType,
    disposition: `attachment; filename="${file.name}"`,
  });

async function* textOf(file: ExportFile, first: ExportedLines): AsyncGenerator<string> {
  yield file.head;
  for (let { lines, next } = first; ; { lines, next } = await file.step(next)) {
    yield lines;
    if (next === null) return;
  }
}
