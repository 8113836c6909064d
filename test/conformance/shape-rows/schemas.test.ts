// The tables of shapes and the adapters' schemas are two readings of one specification, made apart (docs/decisions/0020). This
// compares both for ECA: whatever fits the table, the schema takes, and each field that only one of them names has a reason. Left out:
// other protocols, and what the schemas of ECA hold as unknown (details, outputs, contexts, the parts of `initialize`).
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as client from '../../../src/adapters/eca/wire/client.ts';
import * as server from '../../../src/adapters/eca/wire/server.ts';
import { isList, type Shape } from '../../../src/conformance/check/shape.ts';
import { ecaAgent } from '../../../src/conformance/eca/agent.ts';
import { ecaClient } from '../../../src/conformance/eca/client.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import { sampleOf } from './wrong-values.ts';

const { text, reason, ...contents } = server.contents;
/** Schemas, and the kinds of places that each is for. */
const schemas: readonly (readonly [z.ZodType, ...string[]])[] = [
  ...Object.entries(contents).map(([type, schema]) => [schema, `content:${type}`] as const),
  [text, 'content:text of others'],
  [reason, 'content:reasonStarted', 'content:reasonText', 'content:reasonFinished'],
  [server.ContentParams, 'content'],
  [server.RpcError, 'error'],
  [server.ConfigParams, 'notification:config/updated'],
  [server.ServerUpdated, 'notification:tool/serverUpdated', 'server:mcp'],
  [server.ChatNotice, 'notification:chat/statusChanged', 'notification:chat/opened'],
  [server.ShowMessage, 'notification:$/showMessage'],
  [server.InitializeResult, 'result of initialize', 'result of initialize of the document'],
  [server.PromptResult, 'result of chat/prompt'],
  [server.ContextsResult, 'result of chat/queryContext'],
  [server.CommandsResult, 'result of chat/queryCommands'],
  [client.InitializeParams, 'request:initialize'],
  [client.PromptParams, 'request:chat/prompt', 'prompt with contexts'],
  [client.QueryParams, 'request:chat/queryContext', 'request:chat/queryCommands'],
  [client.ChatParams, 'request:chat/delete'],
  [client.ToolCallParams, 'notification:chat/toolCallApprove', 'notification:chat/toolCallReject'],
  [client.ServerParams, 'notification:mcp/startServer', 'notification:mcp/stopServer'],
];

/** The paths of all fields of a shape. */
function* fieldsOfShape(shape: Shape, at = ''): Generator<string> {
  if (typeof shape === 'string' || 'words' in shape || 'text' in shape || 'from' in shape || 'each' in shape) return;
  if (isList(shape)) yield* fieldsOfShape(shape[0], `${at}[]`);
  else if ('some' in shape) yield* fieldsOfShape(shape.some, `${at}[]`);
  else if ('oneOf' in shape) for (const one of shape.oneOf) yield* fieldsOfShape(one, at);
  else if ('by' in shape) {
    yield `${at}.${shape.by}`;
    for (const one of Object.values(shape.variants)) yield* fieldsOfShape(one, at);
  } else
    for (const [key, one] of Object.entries(shape.fields)) {
      const path = `${at}.${key.replace('?', '')}`;
      yield path;
      yield* fieldsOfShape(one, path);
    }
}

/** The same of a schema, as JSON Schema. */
function* fieldsOfSchema(schema: unknown, at = ''): Generator<string> {
  const { properties, items, anyOf } = dictionaryOf(schema);
  for (const [name, one] of Object.entries(dictionaryOf(properties))) {
    yield `${at}.${name}`;
    yield* fieldsOfSchema(one, `${at}.${name}`);
  }
  if (items !== undefined) yield* fieldsOfSchema(items, `${at}[]`);
  if (Array.isArray(anyOf)) for (const one of anyOf) yield* fieldsOfSchema(one, at);
}

/** Fields that only the table names (-), or only the schema (+). */
const explained: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^content:toolCall\w+ \+ \.details$/u, 'The row content-details reads the details of all calls at once.'],
  [/^content:toolCallPrepare - \.manualApproval$/u, 'The gateway heeds the flag of the call that is run.'],
  [/^content:toolCalled - \.outputs\[\]\.type$/u, 'The backend reads outputs one by one, whatever they are.'],
  [/ \+ \.(?:contentId|parentChatId|save|title|messages)$/u, 'Newer than the document, and optional.'],
  [/Finished - \.totalTimeMs$/u, 'The gateway takes no time of a reason.'],
  [/^content \+ \.requestId$/u, 'The check request-id-kept compares it with the prompt.'],
  [
    /^notification:config\/updated \+ \.(?:chatId|chat\.(?:defaultBehavior|selectVariant))$/u,
    'Seldom sent: no check names it.',
  ],
  [/ \+ \.tools\[\]\.\w+$/u, 'The row tool-shape reads the tools one by one.'],
  [
    /^request:initialize - \.(?:processId|clientInfo|capabilities|initializationOptions|workspaceFolders)\b/u,
    'src/adapters/eca/client.ts reads the parts leniently, and has no schema for them.',
  ],
  [/^request:chat\/prompt.* - \.requestId$/u, 'The gateway needs no name of the request.'],
  [/ - \.contexts\[\]\.\S+$/u, 'src/adapters/eca/contexts.ts reads contexts one by one, whatever they are.'],
  [
    /^request:chat\/prompt.* \+ \.(?:model|behavior|agent)$/u,
    'The checks prompt-model and prompt-behavior compare it with what is offered.',
  ],
  [/^request:chat\/prompt.* \+ \.(?:variant|trust)$/u, 'Newer than the document, and optional.'],
];

const rules = [...ecaAgent.rules, ...ecaClient.rules];

/** Explanations that were needed. */
const needed = new Set<string>();

describe.each(schemas.map(([schema, ...kinds]) => [kinds.join(', '), kinds, schema] as const))(
  '%s',
  (name, kinds, schema) => {
    const shapes = rules.flatMap(
      ({ form }) => form?.parts.flatMap(({ kind, shape }) => (kinds.includes(kind) ? [shape] : [])) ?? [],
    );

    test('what fits the table is taken', () => {
      expect(shapes.length).toBeGreaterThan(0);
      const good: unknown = Object.assign({}, ...shapes.map(sampleOf));
      expect(schema.safeParse(good).error).toBeUndefined();
    });

    test('each field that only one of both names has a reason', () => {
      const table = new Set(shapes.flatMap((shape) => [...fieldsOfShape(shape)]));
      const own = new Set(fieldsOfSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })));
      const apart = [
        ...[...table].filter((one) => !own.has(one)).map((one) => `${name} - ${one}`),
        ...[...own].filter((one) => !table.has(one)).map((one) => `${name} + ${one}`),
      ];
      const reasons = apart.map((one) => ({ one, why: explained.filter(([pattern]) => pattern.test(one)) }));
      for (const [pattern] of reasons.flatMap(({ why }) => why)) needed.add(pattern.source);
      expect(reasons.flatMap(({ one, why }) => (why.length === 0 ? [one] : []))).toEqual([]);
    });
  },
);

test('each reason is needed', () => {
  expect(explained.flatMap(([{ source }]) => (needed.has(source) ? [] : [source]))).toEqual([]);
});
