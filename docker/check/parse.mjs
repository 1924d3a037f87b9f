#!/usr/bin/env node
/**
 * `node docker/check/parse.mjs`: renders compose.yaml for several configurations, and reads each with Docker Compose, which
 * checks it against its schema and resolves every name in it. Needs Go, root and a build, but no Docker Engine.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { composeProgram } from './programs.mjs';
import { CONFIGURATION, render } from './render.mjs';
import { demand } from './report.mjs';

const WITHOUT_APPS = CONFIGURATION.replace(/^apps.*\n/m, '');
const CONFIGURATIONS = {
  'with web services': CONFIGURATION,
  'without web services': WITHOUT_APPS,
  'with a relay': WITHOUT_APPS.replace('direct', '"smtps://user@smtp.example.net"'),
};

/** Compose writes a dollar sign twice, so that it can read its own output. */
const readByCompose = file => {
  const args = ['-f', file, '--profile', '*', 'config', '--format', 'json'];
  const text = execFileSync(program, args, { encoding: 'utf8', maxBuffer: 16 * 1024 ** 2 });
  return JSON.parse(text.replaceAll('$$', '$')).services;
};

const program = composeProgram();
const folder = mkdtempSync(join(tmpdir(), 'postern-compose-'));
try {
  for (const [name, text] of Object.entries(CONFIGURATIONS)) {
    const { file } = render(join(folder, name.replaceAll(' ', '-')), text);
    const services = readByCompose(file);
    const rendered = parse(readFileSync(file, 'utf8'), { version: '1.1' }).services;
    demand(`Docker Compose accepts the file ${name}`, Object.keys(services).length === Object.keys(rendered).length);
    // Another parser, another version of YAML, and variables could change them.
    for (const [service, { environment = {}, restart, image }] of Object.entries(rendered)) {
      const understood = [services[service].environment ?? {}, services[service].restart, services[service].image];
      demand(
        `with the same ${service}`,
        isDeepStrictEqual(understood, [environment, restart, image]),
        JSON.stringify(understood),
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
