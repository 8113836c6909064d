// Shapes that the messages of ECA servers and editors share.
import { fields, orNull, type Shape } from '../../check/shape.ts';

/** An absent field may also be null (docs/protocols/eca.md 3.8: real servers send null). */
export const optional = (shape: Shape): Shape => orNull(shape);

const lines = fields({ start: 'number', end: 'number' });
/** A context, with the types of the document (docs/protocols/eca.md 8.2); newer types are not judged. */
export const context: Shape = {
  by: 'type',
  variants: {
    file: fields({ path: 'string', 'linesRange?': optional(lines) }),
    directory: fields({ path: 'string' }),
    web: fields({ url: 'string' }),
    repoMap: 'object',
    mcpResource: fields({ uri: 'string', name: 'string', description: 'string', mimeType: 'string', server: 'string' }),
  },
};
/** Context types that checks cover, as named in coverage.ts. */
export const contextKinds = ['file', 'directory', 'web', 'repoMap', 'mcpResource'].map((type) => `context:${type}`);

/** Newer servers send a text or nothing as the error of an application (docs/protocols/eca.md 5.5): its code is free. */
const code: Shape = { oneOf: ['integer', 'string', 'boolean', 'null', 'object', ['any']] };
/** The error of JSON-RPC. */
export const error = fields({ message: 'string', 'code?': code });
