import { createServer } from 'node:http';
import { StaticSite } from './static-site.js';

/** Serves its working directory on the port in PORT. It is bundled, and runs as an instance of its own. */
const site = await StaticSite.open('.', line => console.log(line));

const server = createServer((request, response) => {
  site.answer(request, response).catch(() => {
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
});

server.listen(Number(process.env.PORT));
process.on('SIGTERM', () => server.close(() => process.exit()));
