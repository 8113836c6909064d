// The JSON schema of the frames, made from the zod schemas of the model. Published as canonical.schema.json.
import { z } from 'zod';
import { Command } from '../../core/model/command.ts';
import { Content, Context, FileChange, Message, Model, Usage } from '../../core/model/content.ts';
import { Event } from '../../core/model/event.ts';
import { OutcomeData, QueryData } from '../../core/model/outcome-data.ts';
import { SessionInfo, ToolServer } from '../../core/model/session-info.ts';
import { ClientFrame, GatewayFrame, Problem } from './wire.ts';

/** The data of successful outcomes, by the type of the command. */
const Outcomes = z.object(OutcomeData);

/** The data of successful queries, by subject. */
const Answers = z.object(QueryData);

const named = {
  ClientFrame,
  GatewayFrame,
  Event,
  Command,
  Message,
  Content,
  Context,
  Usage,
  Model,
  FileChange,
  SessionInfo,
  ToolServer,
  Problem,
  Outcomes,
  Answers,
};

/** A frame in either direction, with the parts of the model as definitions. Unknown fields are allowed everywhere. */
export function canonicalSchema(): object {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', target: 'draft-07', uri: (id) => `#/definitions/${id}` });
  const definitions = Object.entries(schemas).map(([id, { $schema: _, $id: __, id: ___, ...schema }]) => [id, schema]);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Frames of the protocol canonical of Patchbay',
    anyOf: [{ $ref: '#/definitions/ClientFrame' }, { $ref: '#/definitions/GatewayFrame' }],
    definitions: Object.fromEntries(definitions),
  };
}
