import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** One step of an export, with the text of its lines. */
export interface ExportedLines {
  readonly lines: string;
  /** Where the next step begins; null after the last one. */
  readonly next: string | null;
}

export interface ExportFile {
  readonly name: string;
  readonly contentType: string;
  /** The text before the first line. */
  readonly head: string;
  step(from: string | null): Promise<ExportedLines>;
}

/** Answers with a file. The first step is read before the answer begins, so that its failure is an error answer. */
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
