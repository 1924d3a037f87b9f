/**
 * Responds with its name, and appends its id and the time to a file on the disk every 5 ms; `/fill?<MiB>` fills the
 * disk.
 */
export const writing = (name: string) => `
  import { appendFileSync, openSync, readFileSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
  import { randomUUID } from 'node:crypto';
  import { createServer } from 'node:http';
  const disk = process.env.DISK_PATH;
  const itself = randomUUID();
  const held = [];
  const beat = () => {
    try {
      appendFileSync(disk + '/beats', itself + ' ' + Date.now() + '\\n');
    } catch {
      // The disk is full.
    }
  };
  beat();
  setInterval(beat, 5);
  createServer(({ url }, response) => {
    const [path, argument] = url.split('?');
    if (path === '/beats') return response.end(readFileSync(disk + '/beats'));
    if (path === '/keep') writeFileSync(disk + '/kept', argument);
    try {
      if (path === '/fill') writeFileSync(disk + '/large', Buffer.alloc(Number(argument) * 2 ** 20, 1));
      for (let n = 0; path === '/files' && n < Number(argument); n += 1) writeFileSync(disk + '/n' + n, '');
      if (path === '/deleted') {
        held.push(openSync(disk + '/deleted' + held.length, 'w'));
        unlinkSync(disk + '/deleted' + (held.length - 1));
        const bytes = Buffer.alloc(Number(argument) * 2 ** 20, 1);
        for (let at = 0; at < bytes.length; ) at += writeSync(held.at(-1), bytes, at);
      }
    } catch ({ code }) {
      return response.end(code);
    }
    response.end(path === '/kept' ? readFileSync(disk + '/kept') : ${JSON.stringify(name)});
  }).listen(Number(process.env.PORT));
`;

/** Finds the instances that wrote while another one did, by the times in the file of beats. */
export const overlapsIn = (text: string) => {
  const lines = text.trim().split('\n');
  const beats = lines.map(line => line.split(' ')).filter(({ length }) => length === 2);
  const spans = [...Map.groupBy(beats, ([id]) => id)].map(([id, all]) => {
    const times = all.map(([, at]) => Number(at));
    return { id, from: Math.min(...times), to: Math.max(...times) };
  });
  const overlaps = spans.flatMap(one =>
    spans.filter(other => one.id !== other.id && one.from >= other.from && one.from <= other.to),
  );
  return { instances: spans.length, overlaps };
};
