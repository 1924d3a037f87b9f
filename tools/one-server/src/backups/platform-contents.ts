import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Nothing for a file, and for a folder that does not exist. */
const namesIn = (folder: string): readonly string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
const backupsIn = (folder: string): number => namesIn(folder).filter(name => name.endsWith('.zst')).length;
const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** What the home of the platform has of the data of workspaces, for the report of a restore. */
export const describePlatformData = (home: string): string => {
  const [databases, disks] = [join(home, 'databases'), join(home, 'disks')];
  const ofDatabases = sum(namesIn(databases).map(id => backupsIn(join(databases, id, 'backups'))));
  // A disk is an image, or a folder without a suffix.
  const own = namesIn(disks).filter(name => name.endsWith('.img') || !name.includes('.')).length;
  const ofDisks = sum(namesIn(disks).map(name => (name.endsWith('.backups') ? backupsIn(join(disks, name)) : 0)));
  return (
    `This server has ${counted(ofDatabases, 'backup')} of databases and key-value stores, ${counted(own, 'disk')} of web services, ` +
    `and ${counted(ofDisks, 'backup')} of disks.`
  );
};
