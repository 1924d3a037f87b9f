import type { LogCounts } from '@postern/runtime';
import { deletedLines, lineEndsIn } from './deleted-lines.js';
import { placeOf } from './forward-reader.js';
import { segmentsIn } from './segments.js';

/** The lines of a log before and after the place with this id, including deleted ones. Reads the whole log. */
export const countLines = async (folder: string, id: string): Promise<LogCounts> => {
  const place = placeOf(id)!;
  let [before, after] = [await deletedLines(folder), 0];
  for (const { path, startedAt } of await segmentsIn(folder)) {
    if (startedAt < place.startedAt) before += await lineEndsIn(path);
    else if (startedAt > place.startedAt) after += await lineEndsIn(path);
    else {
      if (place.byte > 0) before += await lineEndsIn(path, { end: place.byte - 1 });
      after += await lineEndsIn(path, { start: place.byte });
    }
  }
  return { before, after };
};
