// Shapes that the messages of ACP agents and clients share. Unknown fields pass, and null counts as absent.
import { fields, orNull, type PatternShape, type Shape } from '../../check/shape.ts';
import { absolutePath } from '../words.ts';

/** An object whose fields may all be absent or null, unless `needs` names them. */
export function object(optional: Readonly<Record<string, Shape>>, needs: Readonly<Record<string, Shape>> = {}): Shape {
  const open = Object.entries(optional).map(([name, shape]) => [`${name}?`, orNull(shape)] as const);
  return fields({ ...needs, ...Object.fromEntries(open) });
}

/** A block of content (docs/protocols/acp.md 4.30). Unknown types pass: they may be newer. */
export const contentBlock: Shape = {
  by: 'type',
  variants: {
    text: fields({ text: 'string' }),
    image: fields({ data: 'string', mimeType: 'string' }),
    audio: fields({ data: 'string', mimeType: 'string' }),
    resource_link: fields({ uri: 'string', name: 'string' }),
    resource: fields({ resource: fields({ uri: 'string' }) }),
  },
};

/** docs/protocols/acp.md 1.9. */
export const absolute: PatternShape = { text: absolutePath, is: 'an absolute path', like: '/project' };
/** docs/protocols/acp.md 2.10. */
export const version: Shape = { from: 0, to: 65_535 };
export const implementation: Shape = object({ title: 'string' }, { name: 'string', version: 'string' });
/** docs/protocols/acp.md 1.8. */
export const rpcError: Shape = fields({ code: 'integer', message: 'string' });
/** Variables of an environment, and headers. */
export const pair: Shape = fields({ name: 'string', value: 'string' });
export const ability: Shape = orNull('object');
export const flag: Shape = orNull('boolean');
export const result: Shape = fields({ result: orNull('object') });
export const metaShape: Shape = fields({ '_meta?': orNull('object') });
