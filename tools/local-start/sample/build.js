import { mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('dist', { recursive: true });
writeFileSync('dist/built-at.txt', new Date().toISOString());
console.log('wrote dist/built-at.txt');
