// Turns a zod schema into a fast-check arbitrary, so that "any command" and "any event" mean what the schema says.
import fc from 'fast-check';
import type { z } from 'zod';

/** Arbitraries for keys whose values must come from a small pool, or two events would never speak of one thing. */
export type Pools = ReadonlyMap<string, fc.Arbitrary<unknown>>;

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
}

const anything = fc.jsonValue({ maxDepth: 2 });

/** Values that the schema takes. Throws for kinds of schema that the canonical model does not use. */
export function arbitraryOf(schema: z.ZodType, pools: Pools = new Map()): fc.Arbitrary<unknown> {
  const definition = schema.def as Definition;
  const of = (inner: z.ZodType | undefined) => (inner === undefined ? anything : arbitraryOf(inner, pools));
  switch (definition.type) {
    case 'object':
      return fc
        .record(
          Object.fromEntries(
            Object.entries(definition.shape ?? {}).map(([key, value]) => [
              key,
              pools.has(key) && !isLiteral(value) ? pooled(value, pools.get(key)) : arbitraryOf(value, pools),
            ]),
          ),
        )
        .map(present);
    case 'union':
      return fc.oneof(...(definition.options ?? []).map(of));
    case 'literal':
      return fc.constantFrom(...(definition.values ?? []));
    case 'enum':
      return fc.constantFrom(...Object.values(definition.entries ?? {}));
    case 'array':
      return fc.array(of(definition.element), { maxLength: 2 });
    case 'record':
      return fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), of(definition.valueType), {
        maxKeys: 2,
      });
    case 'optional':
      return fc.option(of(definition.innerType), { nil: undefined });
    case 'nullable':
      return fc.option(of(definition.innerType), { nil: null });
    case 'string':
      return fc.string({ maxLength: 8 });
    case 'number':
      return fc.nat(1_000);
    case 'boolean':
      return fc.boolean();
    case 'unknown':
      return anything;
    default:
      throw new Error(`no arbitrary for a schema of type ${definition.type}`);
  }
}

function isLiteral(schema: z.ZodType): boolean {
  return (schema.def as Definition).type === 'literal';
}

function pooled(schema: z.ZodType, pool: fc.Arbitrary<unknown> = anything): fc.Arbitrary<unknown> {
  return (schema.def as Definition).type === 'optional' ? fc.option(pool, { nil: undefined }) : pool;
}

/** Without the fields that are undefined, as a message off the wire. */
function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}
