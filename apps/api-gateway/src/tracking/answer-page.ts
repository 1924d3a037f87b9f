import type { FastifyReply } from 'fastify';
import { PAGE_POLICY } from '../infrastructure/http/server/response-headers.js';

/** Answers with a page of HTML under the policy of Postern's own pages. */
export const answerPage = (reply: FastifyReply, status: 200 | 404, page: string) =>
  reply.code(status).header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page);
