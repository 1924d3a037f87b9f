#!/usr/bin/env node
/**
 * `node docker/check/parse.mjs`: renders compose.yaml for several configurations, and reads each with the parser of Docker Compose
 * (compose-go), which checks it against the schema of Compose and resolves every name in it. Needs Go, root and a build.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { built } from '../../k8s/check/tools.mjs';
import { CONFIGURATION, render } from './render.mjs';
import { demand } from './report.mjs';

const WITHOUT_APPS = CONFIGURATION.replace(/^apps.*\n/m, '');
const CONFIGURATIONS = {
  'with web services': CONFIGURATION,
  'without web services': WITHOUT_APPS,
  'with a relay': WITHOUT_APPS.replace('direct', '"smtps://user@smtp.example.net"'),
};

const parser = join(built('compose-parser', import.meta.dirname, ['.'], ''), 'check');
const folder = mkdtempSync(join(tmpdir(), 'postern-compose-'));
try {
  for (const [name, text] of Object.entries(CONFIGURATIONS)) {
    const { file } = render(join(folder, name.replaceAll(' ', '-')), text);
    const services = JSON.parse(execFileSync(parser, [file], { encoding: 'utf8', maxBuffer: 16 * 1024 ** 2 }));
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
