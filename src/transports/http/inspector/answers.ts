// Answers of the inspector's routes.

/** JSON as an answer. */
export function jsonAnswer(body: string, headers: Readonly<Record<string, string>> = {}, status = 200): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}
