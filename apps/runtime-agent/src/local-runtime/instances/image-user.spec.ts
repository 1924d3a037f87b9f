import { expect, it } from '@jest/globals';
import { passwdWith } from './image-user.js';

const OWNER = { uid: 40_001, gid: 50_001 };
const PASSWD = 'root:x:0:0:root:/root:/bin/ash\nnode:x:1000:1000:Linux User,,,:/home/node:/bin/sh\n';
const ROOT = 'root:x:0:0:root:/root:/bin/ash\n';
const NODE = 'node:x:40001:50001:Linux User,,,:/home/node:/bin/sh\n';
const APP = 'app:x:40001:50001::/tmp:/bin/sh\n';

it.each([
  ['node', NODE + ROOT],
  ['node:node', NODE + ROOT],
  ['1000:0', NODE + ROOT],
  ['65532', APP + PASSWD],
  ['root', APP + PASSWD],
  ['0', APP + PASSWD],
  [undefined, APP + PASSWD],
])('the user of an instance of an image with the user %s has a name', (user, expected) => {
  expect(passwdWith(PASSWD, user, OWNER)).toBe(expected);
});

it('it has one without a list of users too', () => {
  expect(passwdWith('', 'node', OWNER)).toBe(APP);
});
