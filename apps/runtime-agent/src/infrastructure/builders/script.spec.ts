import { describe, expect, it } from '@jest/globals';
import { requireUnixScript } from './script.js';
import { projectOf } from './testing/project-of.js';

const project = projectOf({
  'start.sh': '#!/bin/bash\r\nnode server.js\r\n',
  'bin/run': '#!/usr/bin/env node\nserve()\r\n',
});

describe('A script that starts a web service', () => {
  it.each(['./start.sh', 'start.sh --fast', 'exec ./start.sh', 'MODE=fast ./start.sh', 'bash start.sh'])(
    'must not have the line ends of Windows: %s',
    async command => {
      await expect(requireUnixScript(project, command)).rejects.toThrow(
        'start.sh cannot be started, because its lines end as on Windows (CRLF)',
      );
    },
  );

  it.each(['./bin/run', 'node start.sh', '/bin/sh start.sh', ''])('is left alone: %s', async command => {
    await expect(requireUnixScript(project, command)).resolves.toBeUndefined();
  });
});
