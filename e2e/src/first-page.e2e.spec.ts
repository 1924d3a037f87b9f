import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { sharedWorld } from './stories.js';

const world = await sharedWorld();

describe('the first page of the dashboard', () => {
  /** The bytes of an answer as they are sent; `fetch` would count them after decompression. */
  const sentBytes = async (path: string): Promise<number> => {
    const request = get(world.postern.baseUrl + path, { headers: { 'accept-encoding': 'gzip, br' } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let size = 0;
    for await (const chunk of response) size += (chunk as Buffer).length;
    return size;
  };

  it('has less than 100 kB on the wire, with the files that it names', async () => {
    const page = await (await fetch(`${world.postern.baseUrl}/dashboard/`)).text();
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.some(file => file.endsWith('.js'))).toBe(true);
    const sizes = await Promise.all(['/dashboard/', ...files].map(sentBytes));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000);
  });

  it('is painted without another file: its styles and first words are in the page', async () => {
    const page = await (await fetch(`${world.postern.baseUrl}/dashboard/`)).text();
    expect(page).toMatch(/<style>.*light-dark\(/s);
    expect(page).not.toContain('rel="stylesheet"');
    expect(page).toMatch(/<div id="application">\s*<main[^>]*>\s*<p[^>]*>Loading/);
  });
});
